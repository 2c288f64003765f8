/** The last lines of a text that comes line by line, as many as fit. */
export class Tail {
  readonly #limitBytes: number;
  #lines: string[] = [];
  /** Lines before this one are left out. */
  #first = 0;
  #bytes = 0;
  #leftOut = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether nothing has come yet. */
  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  push(line: string): void {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line) + 1;
    while (this.#bytes > this.#limitBytes && this.#first < this.#lines.length - 1) {
      const size = Buffer.byteLength(this.#lines[this.#first] ?? '') + 1;
      // Frees the text; the list itself is cut now and then.
      this.#lines[this.#first] = '';
      this.#first += 1;
      this.#bytes -= size;
      this.#leftOut += size;
    }
    if (this.#first > 1_024 && this.#first * 2 > this.#lines.length) {
      this.#lines = this.#lines.slice(this.#first);
      this.#first = 0;
    }
  }

  /** The lines; the first one says how much is left out. */
  text(): string {
    const lines = this.#lines.slice(this.#first);
    if (this.#leftOut > 0) lines.unshift(`[${this.#leftOut} bytes before this are left out]`);
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }
}
