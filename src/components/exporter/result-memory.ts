import { type ExperimentTimes, laterTimes } from './event-times.ts';
import type { ResultFigures } from './result-figures.ts';

/** What the exporter remembers of a result from one scrape to the next. */
export interface ResultMemory {
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

/**
 * The value of `experiment_verdict`: 1 from when a verdict is first seen until the interval of the scrapes is over, then 0, so that
 * dashboards can count changes; always 0 while it is awaited or missing (compatibility reference of the exporter, section 4). Pure.
 */
export function verdictValue(memory: ResultMemory, nowMs: number, intervalMs: number): 0 | 1 {
  if (memory.verdict === '' || memory.verdict.toLowerCase() === 'awaited') return 0;
  return nowMs - memory.sinceMs < intervalMs ? 1 : 0;
}
