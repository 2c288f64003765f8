import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { Clock, Random } from '@turnsole/kube/runtime/index';
import { MessageReader, withLength } from '@turnsole/kube/text/dns-frames';
import { RCODE } from './message.ts';

/** A server that knows other names. */
export interface UpstreamServer {
  readonly address: string;
  /** @default 53 */
  readonly port?: number;
}

/** What asking other servers needs. */
interface UpstreamOptions {
  readonly servers: readonly UpstreamServer[];
  readonly clock: Clock;
  readonly random: Random;
}

/** How long one server may take. */
const TIMEOUT_MS = 2_000;
/** Questions under way at the same time; more are refused. */
const MAX_PENDING = 256;
const DNS_PORT = 53;
const HEADER_BYTES = 12;

/** No server gave an answer; the cause is what the last one did. */
class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
}

/** Asks the servers outside, one after the other, each for a limited time. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #closed = new AbortController();
  #pending = 0;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** Breaks off all questions under way. */
  close(): void {
    this.#closed.abort(new Error('the DNS server was closed'));
  }

  /**
   * The answer to a message, byte for byte except for the id, which is the question's. Skips servers that fail or refuse
   * while others are left.
   *
   * @throws UpstreamError when no server answered
   */
  async ask(message: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer> {
    const { servers } = this.#options;
    if (servers.length === 0) throw new UpstreamError('this machine has no name servers configured');
    if (this.#pending >= MAX_PENDING)
      throw new UpstreamError(`${MAX_PENDING} questions are under way already`);
    this.#pending += 1;
    try {
      return await this.#askAll(message, transport);
    } finally {
      this.#pending -= 1;
    }
  }

  async #askAll(message: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer> {
    let last: Buffer | undefined;
    let cause: unknown;
    for (const server of this.#options.servers) {
      try {
        last = await this.#askOne(server, message, transport);
        const rcode = last.readUInt16BE(2) & 0xf;
        if (rcode !== RCODE.failed && rcode !== RCODE.refused) return last;
      } catch (error) {
        cause = error;
        if (this.#closed.signal.aborted) break;
      }
    }
    if (last !== undefined) return last;
    const names = this.#options.servers.map(({ address }) => address).join(', ');
    throw new UpstreamError(`no answer from ${names}`, { cause });
  }

  async #askOne(server: UpstreamServer, message: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer> {
    const { clock, random } = this.#options;
    const timeout = new AbortController();
    const cancel = clock.setTimer(
      TIMEOUT_MS,
      () => timeout.abort(new Error(`${server.address} did not answer within ${TIMEOUT_MS} ms`)),
      { unref: true },
    );
    // An id of our own, so that clients behind us can be neither identified nor guessed.
    const question = Buffer.from(message);
    question.writeUInt16BE(Math.floor(random() * 0x1_0000), 0);
    try {
      const signal = AbortSignal.any([timeout.signal, this.#closed.signal]);
      const ask = transport === 'udp' ? askOverUdp : askOverTcp;
      const answer = Buffer.from(await ask(server, question, signal));
      answer.writeUInt16BE(message.readUInt16BE(0), 0);
      return answer;
    } finally {
      cancel();
    }
  }
}

function isAnswerTo(question: Buffer, answer: Buffer): boolean {
  return (
    answer.length >= HEADER_BYTES &&
    answer.readUInt16BE(0) === question.readUInt16BE(0) &&
    (answer.readUInt16BE(2) & 0x8000) !== 0
  );
}

async function askOverUdp(server: UpstreamServer, question: Buffer, signal: AbortSignal): Promise<Buffer> {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const onAbort = (): void => reject(signal.reason);
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', reject);
    // Strangers may send here as well: what does not fit the question is passed over.
    socket.on('message', (answer) => {
      if (isAnswerTo(question, answer)) resolve(answer);
    });
    socket.once('connect', () => {
      socket.send(question, (error) => {
        if (error !== null) reject(error);
      });
    });
    // Connected, so that answers come from this server alone and a closed port is reported at once. Not with a callback: that would get the
    // error of a machine without a way to the server, and `error` would not be emitted.
    socket.connect(server.port ?? DNS_PORT, server.address);
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.close();
  }
}

async function askOverTcp(server: UpstreamServer, question: Buffer, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const socket = connect({ host: server.address, port: server.port ?? DNS_PORT });
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const reader = new MessageReader();
  socket.on('error', reject);
  socket.on('close', () => reject(new Error(`${server.address} closed the connection without an answer`)));
  socket.on('data', (chunk) => {
    for (const message of reader.read(chunk)) if (isAnswerTo(question, message)) resolve(message);
  });
  socket.write(withLength(question));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}
