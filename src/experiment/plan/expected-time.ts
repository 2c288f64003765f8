import type { Fault } from '../injection/fault.ts';
import { MIN_STEP_MS } from '../injection/schedule/rounds.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';

/** How often a fault acts when every recovery is quicker than the interval; random intervals count with their mean. Pure. */
export function countSteps({
  durationMs,
  interval,
}: Pick<ExperimentSettings, 'durationMs' | 'interval'>): number {
  const waitMs = Math.max((interval.lowMs + interval.highMs) / 2, MIN_STEP_MS);
  // Steps begin at 0, one wait, two waits, …, as long as that is before the end.
  return Math.max(1, Math.ceil(durationMs / waitMs));
}

/** Seconds that a run takes at least, without what starting and recovering take. Pure. */
export function expectedSeconds(
  fault: Pick<Fault, 'shape' | 'where'>,
  { durationMs, rampMs, sequence }: Pick<ExperimentSettings, 'durationMs' | 'rampMs' | 'sequence'>,
  targets: number,
): number {
  // A held fault, and the work of helpers, lasts the whole duration for each target of a series; rounds share it.
  const oneByOne = sequence === 'serial' && (fault.shape === 'sustained' || fault.where === 'node');
  return (2 * rampMs + durationMs * (oneByOne ? Math.max(1, targets) : 1)) / 1000;
}
