import { askNameServer, type NameServer, type Transport } from '@turnsole/kube/base/ask-name-server';
import type { Clock, Random } from '@turnsole/kube/runtime/index';
import { RCODE } from './message.ts';

/** What asking other servers needs. */
interface UpstreamOptions {
  readonly servers: readonly NameServer[];
  readonly clock: Clock;
  readonly random: Random;
}

/** How long one server may take. */
const TIMEOUT_MS = 2_000;
/** Questions under way at the same time; more are refused. */
const MAX_PENDING = 256;

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
  async ask(message: Buffer, transport: Transport): Promise<Buffer> {
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

  async #askAll(message: Buffer, transport: Transport): Promise<Buffer> {
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

  async #askOne(server: NameServer, message: Buffer, transport: Transport): Promise<Buffer> {
    const { clock, random } = this.#options;
    const timeout = new AbortController();
    const cancel = clock.setTimer(
      TIMEOUT_MS,
      () => timeout.abort(new Error(`${server.address} did not answer within ${TIMEOUT_MS} ms`)),
      { unref: true },
    );
    try {
      const signal = AbortSignal.any([timeout.signal, this.#closed.signal]);
      const id = Math.floor(random() * 0x1_0000);
      return await askNameServer(server, message, transport, { id, signal });
    } finally {
      cancel();
    }
  }
}
