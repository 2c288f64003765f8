import { Duplex } from 'node:stream';
import type { SpdyHeaders } from './header-block.ts';

/** What a stream needs of its session. */
interface StreamPort {
  /** Sends data; `done` when the system has it. */
  send(streamId: number, data: Buffer, fin: boolean, done: () => void): void;
  reset(streamId: number): void;
  closed(streamId: number): void;
}

/** Bytes that may wait in a stream before its whole connection is held up: other streams should not suffer from a short pause. */
const WAITING_BYTES = 256 * 1024;

/** One stream of a session: reads what the client sends, writes to the client. Each direction ends by itself. */
export class SpdyStream extends Duplex {
  readonly id: number;
  /** As the client opened it with; names in lower case. */
  readonly headers: SpdyHeaders;
  readonly #port: StreamPort;
  #waiting: (() => void) | undefined;
  #hasInputEnded = false;
  #hasFinished = false;

  constructor(id: number, headers: SpdyHeaders, port: StreamPort) {
    super({ readableHighWaterMark: WAITING_BYTES, allowHalfOpen: true });
    this.id = id;
    this.headers = headers;
    this.#port = port;
  }

  /** Takes data of the client; resolves when more fits. */
  receive(data: Buffer, fin: boolean): Promise<void> | undefined {
    if (this.destroyed || this.#hasInputEnded) return undefined;
    const hasRoom = data.length === 0 || this.push(data);
    if (fin) {
      this.#hasInputEnded = true;
      this.push(null);
    }
    if (hasRoom || fin) return undefined;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  override _read(): void {
    const resolve = this.#waiting;
    this.#waiting = undefined;
    resolve?.();
  }

  override _write(data: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#port.send(this.id, data, false, done);
  }

  override _final(done: () => void): void {
    this.#hasFinished = true;
    this.#port.send(this.id, Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#hasInputEnded || !this.#hasFinished) this.#port.reset(this.id);
    this._read();
    this.#port.closed(this.id);
    done(error);
  }
}
