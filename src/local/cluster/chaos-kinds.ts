/** What the embedded cluster refuses of the chaos kinds by itself, as the webhook does on a real one. */

import type { FieldError } from '../../api/validation/index.ts';
import { changesChaos, chaosProblems, type JudgedObject } from '../../chaos/chaos-admission.ts';

/**
 * Problems of a ChaosSchedule or EventTrackerPolicy that is written. Its status is not looked at until its time has come, so its writer has
 * to be told.
 * An engine is not judged here: it is looked at while it is applied, and its refusal belongs to its run.
 */
export function judgeWrite(object: object, old: object | undefined): FieldError[] {
  // The server has checked that it has metadata, and of which kind it is.
  const [now, before] = [object as JudgedObject, old as JudgedObject | undefined];
  return changesChaos(now, before) ? chaosProblems(now) : [];
}
