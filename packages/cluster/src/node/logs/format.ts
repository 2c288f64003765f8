/** One line of a container's log as stored: `<RFC 3339 time> <stream> <F|P> <text>` (the CRI log format). */
export interface LogLine {
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  /** Text with its line feed; without one when the container wrote none. */
  readonly text: Uint8Array;
}

/** Longer lines are stored in parts, so that a container without line feeds does not fill the memory. */
export const MAX_LINE_BYTES = 16 * 1024;

const LINE_FEED = 0x0a;
const SPACE = 0x20;

/**
 * Gives the time with nanosecond digits, as `logs --timestamps` prints it. Node's clock has milliseconds; the
 * remaining digits count the lines within one, so that order by time is order of writing.
 */
export function formatLogTime(epochMs: number, sequence: number): string {
  const iso = new Date(epochMs).toISOString();
  return `${iso.slice(0, -1)}${String(sequence % 1_000_000).padStart(6, '0')}Z`;
}

/** Splits what one stream writes into stored lines; keeps an unfinished line until its end arrives. */
export class LineEncoder {
  readonly #stream: 'stdout' | 'stderr';
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: 'stdout' | 'stderr') {
    this.#stream = stream;
  }

  /** Gives the stored form of every line completed by `chunk`. Calls `time` once per line. */
  push(chunk: Uint8Array, time: () => string): Buffer {
    const input = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    const parts: Buffer[] = [];
    let start = 0;
    for (;;) {
      const end = input.indexOf(LINE_FEED, start);
      const length = (end === -1 ? input.length : end) - start;
      if (length > MAX_LINE_BYTES) {
        parts.push(this.#encode(time(), 'P', input.subarray(start, start + MAX_LINE_BYTES)));
        start += MAX_LINE_BYTES;
        continue;
      }
      if (end === -1) break;
      parts.push(this.#encode(time(), 'F', input.subarray(start, end)));
      start = end + 1;
    }
    this.#rest = Buffer.from(input.subarray(start));
    return Buffer.concat(parts);
  }

  /** Gives the unfinished line, if any. */
  flush(time: () => string): Buffer {
    if (this.#rest.length === 0) return this.#rest;
    const last = this.#encode(time(), 'P', this.#rest);
    this.#rest = Buffer.alloc(0);
    return last;
  }

  #encode(time: string, tag: 'F' | 'P', text: Uint8Array): Buffer {
    return Buffer.concat([Buffer.from(`${time} ${this.#stream} ${tag} `), text, Buffer.from('\n')]);
  }
}

/** Reads one stored line (without its line feed). Gives undefined for anything else, e.g. a torn last line. */
export function decodeLine(line: Uint8Array): LogLine | undefined {
  const buffer = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const afterTime = buffer.indexOf(SPACE);
  const afterStream = buffer.indexOf(SPACE, afterTime + 1);
  const afterTag = buffer.indexOf(SPACE, afterStream + 1);
  if (afterTime <= 0 || afterStream === -1 || afterTag === -1) return undefined;
  const stream = buffer.toString('latin1', afterTime + 1, afterStream);
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const text = buffer.subarray(afterTag + 1);
  const full = buffer.toString('latin1', afterStream + 1, afterTag) === 'F';
  return {
    time: buffer.toString('latin1', 0, afterTime),
    stream,
    text: full ? Buffer.concat([text, Buffer.from('\n')]) : text,
  };
}
