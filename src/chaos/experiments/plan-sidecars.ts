import type { ChaosEngine } from '../../api/index.ts';
import { IncompleteSidecarError, type SidecarPlan, planSidecars as sidecarsOf } from '../sidecars.ts';
import { SkipError } from './skip-error.ts';

/**
 * The engine's sidecars beside the container of an experiment. Pure.
 *
 * @throws SkipError that names the field of an incomplete sidecar
 */
export function planSidecars(engine: ChaosEngine, jobName: string): SidecarPlan[] {
  const nameOf = (number: number): string => `${jobName.slice(0, 50)}-sidecar-${number}`;
  try {
    return sidecarsOf(engine, { mainContainer: jobName, nameOf });
  } catch (cause) {
    if (!(cause instanceof IncompleteSidecarError)) throw cause;
    throw new SkipError('SidecarPatchError', cause.message, { cause });
  }
}
