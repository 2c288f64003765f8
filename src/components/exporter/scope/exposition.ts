/** The text format of Prometheus, as far as it is needed here. Pure. */

/** About as many bytes has a piece of a page: few enough to be sent one by one, so that a page is never held whole. */
const PIECE = 64 * 1024;
/** At most so many bytes of UTF-8 for one UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** `name="value",…`, with the values escaped. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

/** Backslash, quote and line break have a meaning of their own; half of a surrogate pair is no text at all. */
function escaped(value: string): string {
  return value.toWellFormed().replaceAll(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}

/** The two lines above the samples of a metric. */
export function headOf(name: string, help: string, type: 'gauge' | 'counter' = 'gauge'): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/**
 * Puts texts one behind the other as UTF-8, always in the same memory: joined as texts first, a page of 20 MB would leave several times as
 * much garbage as an exporter keeps at all.
 */
export class PieceWriter {
  #memory = Buffer.allocUnsafeSlow(PIECE);
  #used = 0;

  /** Whether what was put is worth sending. */
  get isFull(): boolean {
    return this.#used >= PIECE;
  }

  put(text: string): void {
    const most = this.#used + text.length * BYTES_PER_UNIT;
    if (most > this.#memory.length) this.#grow(most);
    this.#used += this.#memory.write(text, this.#used);
  }

  /** The text that was put since the last piece was taken. Valid until the next text is put. */
  take(): Uint8Array {
    const piece = this.#memory.subarray(0, this.#used);
    this.#used = 0;
    return piece;
  }

  #grow(most: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(most, 2 * this.#memory.length));
    this.#memory.copy(larger, 0, 0, this.#used);
    this.#memory = larger;
  }
}
