import { isForbidden } from '@turnsole/kube/client/errors';
import { TargetSelectionError } from '../injection/errors.ts';
import type { Fault } from '../injection/fault.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';
import { healthProblem } from '../targets/health/check-health.ts';
import { healthSubject } from '../targets/health/health-subject.ts';
import type { PlanExperimentInput } from './experiment-plan.ts';

/**
 * What the check before chaos would find now; undefined when the application is healthy, is not checked, or may not be looked at (which the plan
 * of the targets reports).
 */
export async function planHealth(
  { client, signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings,
): Promise<string | undefined> {
  const subject = healthSubject(fault, settings);
  if (subject === undefined) return undefined;
  try {
    return await healthProblem({ client, signal, ...subject });
  } catch (error) {
    if (error instanceof TargetSelectionError || isForbidden(error)) return undefined;
    throw error;
  }
}
