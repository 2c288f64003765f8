import type { Duplex, Readable, Writable } from 'node:stream';
import { messageOf } from '@turnsole/kube/text/error-message';

/** What a port-forward session stands on. */
export interface ForwardTarget {
  /** Connects to a port of the pod. */
  readonly connect: (port: number, signal: AbortSignal) => Promise<Duplex>;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** The client's side of one connection. */
interface ForwardStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Copies between a client and a port of the pod until both directions have ended.
 *
 * @returns what went wrong, for the client's error stream; `''` when nothing did. Never rejects.
 */
export async function forward(
  port: number,
  { input, output }: ForwardStreams,
  target: ForwardTarget,
): Promise<string> {
  let connection: Duplex;
  try {
    connection = await target.connect(port, target.signal);
  } catch (error) {
    input.resume();
    output.end();
    return problemText(port, error);
  }
  let failure: unknown;
  connection.on('error', (error) => {
    failure = error;
  });
  input.pipe(connection);
  connection.pipe(output);
  await closed(connection, output, target.signal);
  // The server reads and drops what the client still sends: other streams share its connection.
  input.unpipe(connection);
  input.resume();
  output.end();
  // Either side, client or server, may leave early; its peer then sees the end of the stream.
  if (failure === undefined || target.signal.aborted || isDeparture(failure)) return '';
  return problemText(port, failure);
}

/** Resolves when the connection is over: both its directions have ended, or one of the sides has gone. */
function closed(connection: Duplex, output: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cut = (): void => {
      connection.destroy();
    };
    signal.addEventListener('abort', cut, { once: true });
    output.once('close', cut);
    connection.once('close', () => {
      signal.removeEventListener('abort', cut);
      output.off('close', cut);
      resolve();
    });
    if (signal.aborted || output.destroyed) cut();
  });
}

function problemText(port: number, error: unknown): string {
  return `error forwarding port ${port} to pod: ${messageOf(error)}`;
}

const DEPARTURES: readonly string[] = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

function isDeparture(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DEPARTURES.includes(String(error.code));
}
