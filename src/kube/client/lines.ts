const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines of text.
 *
 * Bytes are decoded only when a line is complete, so a chunk may end inside a UTF-8 character: the byte 0x0a occurs
 * in no other character. A line longer than a chunk is kept as a list of pieces and joined once.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;

  /** @param maxLineBytes a longer line is given in pieces of about this size, so that it is never held whole. @default no limit */
  constructor(maxLineBytes = Number.POSITIVE_INFINITY) {
    this.#maxLineBytes = maxLineBytes;
  }

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
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
    if (this.#pendingBytes >= this.#maxLineBytes) {
      const piece = this.end();
      if (piece !== undefined) lines.push(piece);
    }
    return lines;
  }

  /** What stands after the last line end, if anything. */
  end(): string | undefined {
    if (this.#pieces.length === 0) return undefined;
    const rest = Buffer.concat(this.#pieces).toString('utf8');
    this.#forget();
    return rest;
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pendingBytes += piece.length;
  }

  #forget(): void {
    this.#pieces = [];
    this.#pendingBytes = 0;
  }

  #take(chunk: Buffer, start: number, end: number): string {
    if (this.#pieces.length === 0) return chunk.toString('utf8', start, end);
    this.#pieces.push(chunk.subarray(start, end));
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.#forget();
    return line;
  }
}
