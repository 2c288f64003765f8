/** The arithmetic of a sloProbe: which time is judged, and how much of the error budget was spent in it. All pure. */
import type { SloProbeInputs } from '../../api/schema/probe.ts';
import { sloTimeMs } from '../../api/slo-time.ts';

/** Times in milliseconds since 1970. */
export interface EvaluationWindow {
  readonly startMs: number;
  readonly endMs: number;
}

/** The rest of the error budget at a time, in per cent. */
export interface BudgetPoint {
  readonly timeMs: number;
  readonly percent: number;
}

/** The default window before chaos: is the budget burning already? */
const LOOK_BACK_MS = 15 * 60_000;
/**
 * The platform has one value per minute, in buckets that may hold several: a request reaches so far before the start of the
 * window that the value at the start is among them.
 */
export const LEAD_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
/** Digits that differ beyond this are those of the subtraction. */
const DECIMALS = 6;

/**
 * The time that is judged: what the probe names; else from the beginning of chaos until now, and before chaos the last
 * 15 minutes.
 */
export function evaluationWindow(
  given: SloProbeInputs['evaluationWindow'],
  nowMs: number,
  chaosSinceMs: number | undefined,
): EvaluationWindow {
  const start = sloTimeMs(given?.evaluationStartTime);
  const endMs = sloTimeMs(given?.evaluationEndTime) ?? nowMs;
  return { startMs: start ?? chaosSinceMs ?? endMs - LOOK_BACK_MS, endMs };
}

/** Whether the values reach to the end of the window; they stand at full minutes. */
export function reachesEnd(points: readonly BudgetPoint[], { endMs }: EvaluationWindow): boolean {
  const due = Math.floor(endMs / MINUTE_MS) * MINUTE_MS;
  return points.some(({ timeMs }) => timeMs >= due);
}

/**
 * By how many percentage points the budget dropped: from the last value at or before the start (or the first in the window)
 * to the last one in the window. Negative when it grew, undefined when there are fewer than two values.
 */
export function budgetDrop(
  points: readonly BudgetPoint[],
  { startMs, endMs }: EvaluationWindow,
): number | undefined {
  const sorted = points.filter(({ timeMs }) => timeMs <= endMs).toSorted((a, b) => a.timeMs - b.timeMs);
  const inside = sorted.filter(({ timeMs }) => timeMs > startMs);
  const first = sorted.findLast(({ timeMs }) => timeMs <= startMs) ?? inside[0];
  const last = inside.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  return Number((first.percent - last.percent).toFixed(DECIMALS));
}
