const NEWLINE = 0x0a;

/** The last lines of a log that arrives in texts of whole lines, as many as fit. */
export class Tail {
  readonly #limitBytes: number;
  readonly #texts: { readonly text: string; readonly bytes: number }[] = [];
  #bytes = 0;
  #leftOut = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether nothing has come yet. */
  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** Takes the next text, and drops the first ones when the rest is long enough. */
  push(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#texts.push({ text, bytes });
    this.#bytes += bytes;
    for (let [first] = this.#texts; this.#isTooMany(first?.bytes); [first] = this.#texts) {
      this.#texts.shift();
      this.#bytes -= first?.bytes ?? 0;
      this.#leftOut += first?.bytes ?? 0;
    }
  }

  #isTooMany(firstBytes: number | undefined): boolean {
    return firstBytes !== undefined && this.#texts.length > 1 && this.#bytes - firstBytes >= this.#limitBytes;
  }

  /** The lines, the last one in any case; the first one says how much is left out. */
  text(): string {
    const { text, leftOutBytes } = this.kept();
    return leftOutBytes === 0 ? text : `[${leftOutBytes} bytes before this are left out]\n${text}`;
  }

  /** The lines, the last one in any case, and how many bytes before them are left out. */
  kept(): { readonly text: string; readonly leftOutBytes: number } {
    const whole = this.#texts.map(({ text }) => text).join('');
    const start = lineAfter(Buffer.from(whole), this.#bytes - this.#limitBytes);
    const text = start === 0 ? whole : Buffer.from(whole).subarray(start).toString();
    return { text, leftOutBytes: this.#leftOut + start };
  }
}

/** Start of the first line that is at least so far from the beginning; of the last line when no line is. */
function lineAfter(bytes: Buffer, distance: number): number {
  if (distance <= 0) return 0;
  const start = bytes.indexOf(NEWLINE, distance - 1) + 1;
  return start > 0 && start < bytes.length ? start : bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1;
}
