import type { LogLine } from './format.ts';

/** The wanted part of a log; the query of `GET …/pods/<name>/log` in one value. */
export interface LogSelection {
  /** Prefix each line with its time. */
  readonly timestamps?: boolean;
  /** Only the last n lines (of those selected by time). */
  readonly tailLines?: number;
  /** Only lines at or after this time, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** Stop after this many bytes. */
  readonly limitBytes?: number;
}

/** Whether the line is not older than `sinceMs`. */
function isSince(line: LogLine, sinceMs: number | undefined): boolean {
  return sinceMs === undefined || Date.parse(line.time) >= sinceMs;
}

/**
 * Gives the bytes of the selected lines. `present` are the existing lines, `later` those that arrive while following;
 * `tailLines` counts present lines only, as kubelet does.
 */
export async function* selectLog(
  present: Iterable<LogLine>,
  later: AsyncIterable<LogLine>,
  selection: LogSelection,
): AsyncGenerator<Uint8Array> {
  const render = renderer(selection);
  for (const line of tail(present, selection)) {
    const { bytes, done } = render(line);
    yield bytes;
    if (done) return;
  }
  if (selection.limitBytes === 0) return;
  for await (const line of later) {
    if (!isSince(line, selection.sinceMs)) continue;
    const { bytes, done } = render(line);
    yield bytes;
    if (done) return;
  }
}

function tail(lines: Iterable<LogLine>, { tailLines, sinceMs }: LogSelection): LogLine[] {
  const kept: LogLine[] = [];
  for (const line of lines) {
    if (!isSince(line, sinceMs)) continue;
    kept.push(line);
    // Trimming rarely keeps it linear without a ring buffer.
    if (tailLines !== undefined && kept.length > 2 * tailLines + 1024)
      kept.splice(0, kept.length - tailLines);
  }
  return tailLines === undefined ? kept : kept.slice(kept.length - Math.min(kept.length, tailLines));
}

function renderer(selection: LogSelection): (line: LogLine) => { bytes: Uint8Array; done: boolean } {
  let left = selection.limitBytes ?? Number.POSITIVE_INFINITY;
  return (line) => {
    const whole =
      selection.timestamps === true ? Buffer.concat([Buffer.from(`${line.time} `), line.text]) : line.text;
    const bytes = whole.length > left ? whole.subarray(0, left) : whole;
    left -= bytes.length;
    return { bytes, done: left <= 0 };
  };
}
