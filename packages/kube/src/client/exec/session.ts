import { Readable, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { parseObject } from '../../text/json.ts';
import type { Status } from '../errors.ts';
import { CHANNELS, decodeMessage, encodeMessage, toBuffer } from './channels.ts';

/** The error channel carries one Status. */
const MAX_STATUS_BYTES = 256 * 1024;

/** A command under way, as the client's end of its WebSocket. */
export class ExecChannels {
  /** What the command reads. Only servers that speak v5 get its end. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the command ended; undefined when the connection ended first. Never rejects. */
  readonly outcome: Promise<ExecOutcome | undefined>;
  readonly #socket: WebSocket;
  #status = '';

  constructor(socket: WebSocket) {
    this.#socket = socket;
    const read = (): void => socket.resume();
    this.stdout = new Readable({ read });
    this.stderr = new Readable({ read });
    this.stdin = new Writable({
      write: (data: Buffer, _encoding, done) => this.#send(CHANNELS.stdin, data, done),
      final: (done) => {
        if (socket.protocol.startsWith('v5.')) this.#send(CHANNELS.close, Buffer.of(CHANNELS.stdin), done);
        else done();
      },
    });
    socket.on('message', (message) => this.#receive(toBuffer(message)));
    this.outcome = new Promise((resolve) => {
      socket.once('close', () => {
        this.stdout.push(null);
        this.stderr.push(null);
        // What is still written goes nowhere; the outcome shows it.
        this.stdin.on('error', () => {});
        this.stdin.destroy();
        resolve(this.#status === '' ? undefined : readOutcome(this.#status));
      });
    });
    socket.resume();
  }

  /** Cuts the connection; the server then kills the command. */
  terminate(): void {
    this.#socket.terminate();
  }

  #send(channel: number, data: Buffer, done: (error?: Error | null) => void): void {
    this.#socket.send(encodeMessage({ channel, data }), (error) => done(error));
  }

  #receive(message: Buffer): void {
    const decoded = decodeMessage(message);
    if (decoded === undefined || decoded.data.length === 0) return;
    const { channel, data } = decoded;
    if (channel === CHANNELS.stdout) this.#give(this.stdout, data);
    else if (channel === CHANNELS.stderr) this.#give(this.stderr, data);
    else if (channel === CHANNELS.error && this.#status.length < MAX_STATUS_BYTES)
      this.#status += data.toString();
  }

  /** A slow reader holds the command up. */
  #give(stream: Readable, data: Buffer): void {
    if (!stream.destroyed && !stream.push(data)) this.#socket.pause();
  }
}

/** How the server says a command ended: with an exit code, or not at all properly. */
type ExecOutcome = { readonly exitCode: number } | { readonly failure: Status };

/** Reads the Status of the error channel; pure. What is no Status is the text of a failure. */
export function readOutcome(text: string): ExecOutcome {
  // The server's own type; every field is optional.
  const status: Status | undefined = parseObject(text);
  if (status === undefined) return { failure: { message: text } };
  if (status.status === 'Success') return { exitCode: 0 };
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const exitCode = Number(cause?.message);
  if (status.reason === 'NonZeroExitCode' && Number.isInteger(exitCode)) return { exitCode };
  return { failure: status };
}
