import { type ExperimentTimes, laterTimes } from './event-times.ts';
import type { ResultFigures } from './result-figures.ts';

/** What the exporter remembers of a result from one scrape to the next. */
interface ResultMemory {
  readonly verdict: string;
  /** When this verdict was first seen, in milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly times: ExperimentTimes;
}

/** By uid of the result. */
export type ResultMemories = ReadonlyMap<string, ResultMemory>;

/**
 * The memory after another look. Results that are gone are forgotten. Pure.
 */
export function remember(
  before: ResultMemories,
  figures: readonly ResultFigures[],
  nowMs: number,
): ResultMemories {
  return new Map(
    figures.map(({ uid, verdict, times }) => {
      const known = before.get(uid);
      // After a clock was set back, the remembered time lies ahead, maybe by hours.
      const sinceMs = known?.verdict === verdict ? Math.min(known.sinceMs, nowMs) : nowMs;
      return [uid, { verdict, sinceMs, times: known === undefined ? times : laterTimes(known.times, times) }];
    }),
  );
}
