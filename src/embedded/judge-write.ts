/** The checks of the chaos kinds in the embedded cluster, as the webhook does them on a real one. */

import type { FieldError } from '../api/validation/index.ts';
import { changesChaos, chaosProblems, type JudgedObject } from '../chaos/chaos-admission.ts';

/**
 * Problems of a ChaosSchedule or EventTrackerPolicy that is written. Their status is read only when their time has come, so the write
 * itself has to be refused.
 * An engine is not judged here: its user watches it after applying it, and its refusal belongs to its run.
 */
export function judgeWrite(object: object, old: object | undefined): FieldError[] {
  // The server has checked that it has metadata, and of which kind it is.
  const [now, before] = [object as JudgedObject, old as JudgedObject | undefined];
  return changesChaos(now, before) ? chaosProblems(now) : [];
}
