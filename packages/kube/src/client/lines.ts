const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines of text.
 *
 * Bytes are decoded only when a line is complete, so a chunk may end inside a UTF-8 character: the byte 0x0a occurs
 * in no other character. A line longer than a chunk is kept as a list of pieces and joined once.
 */
export class LineSplitter {
  #pieces: Buffer[] = [];

  /** The lines that this chunk completes, without their line ends. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      lines.push(this.#take(chunk, start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#pieces.push(start === 0 ? chunk : chunk.subarray(start));
    return lines;
  }

  /** What stands after the last line end, if anything. */
  end(): string | undefined {
    if (this.#pieces.length === 0) return undefined;
    const rest = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    return rest;
  }

  #take(chunk: Buffer, start: number, end: number): string {
    if (this.#pieces.length === 0) return chunk.toString('utf8', start, end);
    this.#pieces.push(chunk.subarray(start, end));
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    return line;
  }
}

/**
 * Cuts a stream of bytes into texts of whole lines, each with its line end: one text for each chunk that completes a line. For callers that
 * pass a log on as it is, this is a hundred times less work, and less garbage, than single lines.
 */
export class WholeLines {
  readonly #mostBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** The last text had no line end. */
  #isWithinLine = false;

  /** @param mostBytes what has no line end within this many bytes is given without one, so that it is never held whole */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The lines that this chunk completes; undefined when it completes none. */
  push(chunk: Buffer): string | undefined {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) return this.#take(this.#pendingBytes === 0 ? chunk : this.#join(chunk), chunk.length - end);
    if (this.#pendingBytes + chunk.length >= this.#mostBytes) {
      const all = this.#join(chunk);
      return this.#take(all, partOfCharacter(all));
    }
    this.#keep(chunk);
    return undefined;
  }

  /** What stands after the last line end, if anything, with one. */
  end(): string | undefined {
    if (this.#pendingBytes === 0 && !this.#isWithinLine) return undefined;
    return `${this.#take(this.#join(), 0)}\n`;
  }

  #join(...chunks: readonly Buffer[]): Buffer {
    return Buffer.concat([...this.#pending, ...chunks]);
  }

  /** Gives all but the last bytes, which stay. */
  #take(all: Buffer, staying: number): string {
    const end = all.length - staying;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#isWithinLine = all[end - 1] !== NEWLINE;
    this.#keep(all.subarray(end));
    return all.toString('utf8', 0, end);
  }

  /** By a copy: the beginning of a line would keep the whole chunk. */
  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#pending.push(Buffer.from(part));
    this.#pendingBytes += part.length;
  }
}

/** How many bytes at the end begin a UTF-8 character that is not complete. */
function partOfCharacter(bytes: Buffer): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes.at(-length) ?? 0;
    if (byte < 0x80) return 0;
    // The first byte of a character says how many it has.
    if (byte >= 0xc0) return length < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? length : 0;
  }
  return 0;
}
