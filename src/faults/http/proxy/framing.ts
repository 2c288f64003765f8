import { type Head, headerOf, statusOf } from './head.ts';

/** Where the body of a message ends (RFC 9112, section 6.3). */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  /** With the connection. */
  | { readonly kind: 'close' };

/** Framing of a request; undefined when its head does not determine it. Pure. */
export function requestFraming(head: Head): Framing | undefined {
  const framing = declaredFraming(head);
  return framing === 'nothing' ? { kind: 'none' } : framing?.kind === 'close' ? undefined : framing;
}

/** Framing of a response to a request with this method; undefined when its head does not determine it. Pure. */
export function responseFraming(head: Head, method: string): Framing | undefined {
  const status = statusOf(head);
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { kind: 'none' };
  const framing = declaredFraming(head);
  return framing === 'nothing' ? { kind: 'close' } : framing;
}

function declaredFraming(head: Head): Framing | 'nothing' | undefined {
  const encodings = headerOf(head, 'transfer-encoding');
  if (encodings !== undefined) {
    return /(?:^|,)\s*chunked\s*$/i.test(encodings) ? { kind: 'chunked' } : { kind: 'close' };
  }
  const length = headerOf(head, 'content-length');
  if (length === undefined) return 'nothing';
  // The same length twice is one length.
  const [first = '', ...others] = length.split(',').map((text) => text.trim());
  const isReadable = /^\d+$/.test(first) && others.every((other) => other === first);
  return isReadable ? { kind: 'length', length: Number(first) } : undefined;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Finds the end of a body in the pieces of a stream; the bytes themselves stay as they are. */
export interface BodyScanner {
  /** Index after the last byte from `start` that belongs to the body. */
  scan(chunk: Buffer, start: number): number;
  readonly isDone: boolean;
}

/** A scanner for a framing. */
export function bodyScanner(framing: Framing): BodyScanner {
  switch (framing.kind) {
    case 'none':
      return new LengthScanner(0);
    case 'length':
      return new LengthScanner(framing.length);
    case 'chunked':
      return new ChunkedScanner();
    case 'close':
      return new LengthScanner(Number.POSITIVE_INFINITY);
  }
}

class LengthScanner implements BodyScanner {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  scan(chunk: Buffer, start: number): number {
    const taken = Math.min(chunk.length - start, this.#left);
    this.#left -= taken;
    return start + taken;
  }
}

/** Size line, data, line end, …, last chunk, trailers, empty line (RFC 9112, section 7.1). */
class ChunkedScanner implements BodyScanner {
  #state: 'size' | 'extension' | 'data' | 'data-end' | 'trailer' | 'done' = 'size';
  #size = 0;
  /** Characters in the trailer line so far. */
  #lineLength = 0;

  get isDone(): boolean {
    return this.#state === 'done';
  }

  scan(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const taken = Math.min(chunk.length - at, this.#size);
        this.#size -= taken;
        at += taken;
        if (this.#size === 0) this.#state = 'data-end';
      } else {
        this.#step(chunk[at] ?? 0);
        at += 1;
      }
    }
    return at;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
      case 'extension':
        if (byte === LINE_FEED) this.#beginChunk();
        else if (this.#state === 'size') this.#addDigit(byte);
        return;
      case 'data-end':
        if (byte === LINE_FEED) this.#state = 'size';
        return;
      default:
        if (byte === LINE_FEED) {
          if (this.#lineLength === 0) this.#state = 'done';
          this.#lineLength = 0;
        } else if (byte !== CARRIAGE_RETURN) this.#lineLength += 1;
    }
  }

  #beginChunk(): void {
    this.#state = this.#size === 0 ? 'trailer' : 'data';
  }

  #addDigit(byte: number): void {
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (Number.isNaN(digit)) {
      if (byte !== CARRIAGE_RETURN) this.#state = 'extension';
    } else this.#size = this.#size * 16 + digit;
  }
}
