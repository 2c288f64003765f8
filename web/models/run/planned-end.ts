import type { RunCourse } from '../../../src/services/report/course/model.ts';

/** What runs of one experiment take around their chaos, in milliseconds: pods that start, checks before and after. */
const BEFORE_MS = 5_000;
const AFTER_MS = 3_000;
/** Before anything is planned. */
const UNPLANNED_MS = 20_000;
/** Ends are rounded up to these, so that an axis grows in few steps. */
const STEPS_MS = [5_000, 15_000, 60_000, 300_000];
/** An axis has about so many steps. */
const STEPS = 15;

/** When a run is meant to end, by what is known of it at a moment; never before that moment. Pure. */
export function plannedEnd(course: RunCourse | undefined, startMs: number, nowMs: number): number {
  const ends = (course?.experiments ?? []).flatMap(({ startMs: begun, chaosMs, chaosSeconds, endMs }) => {
    if (chaosSeconds === undefined || endMs !== undefined) return [];
    return [(chaosMs ?? begun + BEFORE_MS) + chaosSeconds * 1000 + AFTER_MS];
  });
  const endMs = Math.max(nowMs, startMs + UNPLANNED_MS, ...ends);
  const lengthMs = endMs - startMs;
  const step = STEPS_MS.find((one) => lengthMs / one <= STEPS) ?? 900_000;
  return startMs + Math.ceil(lengthMs / step) * step;
}
