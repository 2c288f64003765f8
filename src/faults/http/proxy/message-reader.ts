import { type BodyScanner, bodyScanner, type Framing } from './framing.ts';
import { HEAD_LIMIT_BYTES, type Head, headEnd, parseHead } from './head.ts';

/** Receives the parts of the messages of one direction, in order; together they are exactly the bytes of the stream. */
interface MessageHandler {
  /** @returns where the body ends; undefined when everything from the next byte on is no HTTP/1 */
  head(head: Head, raw: Buffer): Framing | undefined;
  body(data: Buffer): void;
  /** The message is complete. */
  end(): void;
  /** Bytes that are no HTTP/1 message. Once this was called, nothing else is. */
  opaque(data: Buffer): void;
}

/** Cuts one direction of a connection into HTTP/1 messages. Bytes are neither changed nor held back, but for heads. */
export class MessageReader {
  readonly #handler: MessageHandler;
  #body: BodyScanner | undefined;
  /** The beginning of a head. */
  #pending: Buffer = Buffer.alloc(0);
  #isOpaque = false;

  constructor(handler: MessageHandler) {
    this.#handler = handler;
  }

  /** Reads what has come in. */
  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#body !== undefined) at = this.#readBody(this.#body, chunk, at);
      else if (this.#isOpaque) {
        this.#handler.opaque(at === 0 ? chunk : chunk.subarray(at));
        return;
      } else at = this.#readHead(chunk, at);
    }
  }

  /** The stream has ended: so does a body without length. */
  close(): void {
    if (this.#body !== undefined) {
      this.#body = undefined;
      this.#handler.end();
    }
    this.becomeOpaque();
  }

  /** From the next message on nothing is read any more. */
  becomeOpaque(): void {
    if (this.#isOpaque) return;
    this.#isOpaque = true;
    const pending = this.#pending;
    this.#pending = Buffer.alloc(0);
    if (pending.length > 0) this.#handler.opaque(pending);
  }

  #readBody(body: BodyScanner, chunk: Buffer, start: number): number {
    const end = body.scan(chunk, start);
    if (end > start) this.#handler.body(chunk.subarray(start, end));
    if (body.isDone) this.#endMessage();
    return end;
  }

  #endMessage(): void {
    this.#body = undefined;
    this.#handler.end();
  }

  #readHead(chunk: Buffer, start: number): number {
    const fresh = chunk.subarray(start);
    const before = this.#pending.length;
    const all = before === 0 ? fresh : Buffer.concat([this.#pending, fresh]);
    // Empty lines in front of a message are no end of its head.
    const first = all.findIndex((byte) => byte !== 13 && byte !== 10);
    const end = first < 0 ? -1 : headEnd(all, Math.max(first, before - 3));
    if (end < 0) {
      this.#pending = all;
      if (all.length > HEAD_LIMIT_BYTES) this.becomeOpaque();
      return chunk.length;
    }
    const raw = all.subarray(0, end);
    const head = parseHead(raw);
    if (head === undefined) {
      this.#pending = raw;
      this.becomeOpaque();
    } else {
      this.#pending = Buffer.alloc(0);
      this.#begin(this.#handler.head(head, raw));
    }
    return start + end - before;
  }

  #begin(framing: Framing | undefined): void {
    if (framing === undefined) {
      this.#isOpaque = true;
      return;
    }
    this.#body = bodyScanner(framing);
    if (this.#body.isDone) this.#endMessage();
  }
}
