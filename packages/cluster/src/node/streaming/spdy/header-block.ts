import { constants, createInflate, type Inflate } from 'node:zlib';
import { DICTIONARY } from './dictionary.ts';
import { SpdyError } from './frames.ts';

/** Names in lower case. */
export type SpdyHeaders = ReadonlyMap<string, string>;

/** Headers of streams are a few words; compressed ones must not become gigabytes. */
const MAX_BLOCK_BYTES = 64 * 1024;

/** Reads the compressed header blocks of one connection, which share one compression: in order, each exactly once. */
export class HeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary: DICTIONARY, flush: constants.Z_SYNC_FLUSH });
  #pieces: Buffer[] = [];
  #bytes = 0;
  #failure: unknown;

  constructor() {
    this.#inflate.on('data', (piece: Buffer) => {
      this.#bytes += piece.length;
      // Bytes beyond the limit are counted and not kept.
      if (this.#bytes <= MAX_BLOCK_BYTES) this.#pieces.push(piece);
      else this.#inflate.destroy(new SpdyError(`a header block is longer than ${MAX_BLOCK_BYTES} bytes`));
    });
    this.#inflate.on('error', (error) => {
      this.#failure = error;
    });
  }

  /** Must not be called again before it has resolved. Rejects with {@link SpdyError}. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    await new Promise<void>((resolve) => {
      this.#inflate.once('close', resolve);
      this.#inflate.write(block, () => {
        this.#inflate.off('close', resolve);
        resolve();
      });
    });
    if (this.#failure !== undefined) {
      if (this.#failure instanceof SpdyError) throw this.#failure;
      throw new SpdyError('a header block cannot be decompressed', { cause: this.#failure });
    }
    const whole = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    return parseHeaders(whole);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** The pairs of a header block; pure. @throws SpdyError when lengths do not fit */
export function parseHeaders(block: Buffer): SpdyHeaders {
  const headers = new Map<string, string>();
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError('a header block is too short');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError('a header block is too short');
    at += length;
    return block.toString('latin1', at - length, at);
  };
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase();
    headers.set(name, text());
  }
  return headers;
}

/** The bytes of a header block; pure. */
export function formatHeaders(headers: SpdyHeaders): Buffer {
  const pieces: Buffer[] = [];
  const number = (value: number): void => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    pieces.push(bytes);
  };
  number(headers.size);
  for (const part of [...headers].flat()) {
    const bytes = Buffer.from(part, 'latin1');
    number(bytes.length);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/**
 * Writes header blocks as zlib's "stored" pieces, which every decompressor reads: what a server says in them is a few
 * bytes, and nothing has to be waited for.
 */
export class HeaderWriter {
  #isFirst = true;

  write(headers: SpdyHeaders): Buffer {
    const block = formatHeaders(headers);
    if (block.length > 0xffff) throw new RangeError(`headers of ${block.length} bytes do not fit`);
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(block.length, 1);
    stored.writeUInt16LE(~block.length & 0xffff, 3);
    const start = this.#isFirst ? ZLIB_HEADER : Buffer.alloc(0);
    this.#isFirst = false;
    return Buffer.concat([start, stored, block, SYNC_MARK]);
  }
}

/** An empty piece: only with it some decompressors (Go's) give out what came before. */
const SYNC_MARK = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Deflate with a window of 32 KiB, fastest level, no preset dictionary (RFC 1950). */
const ZLIB_HEADER = Buffer.from([0x78, 0x01]);
