import { isLasting } from '../../../api/schema/vocabulary.ts';
import type { ExperimentReport } from '../model.ts';

/** What is said of a pass that no probe has confirmed. */
export const NOTHING_JUDGED = 'nothing judged what users saw';

/** What is said of a pass whose probes have measured after the fault, and before it. */
export const NOTHING_DURING = 'no probe measured while the fault was in force';

/** Of a probe in this mode a pass says that the application was well before the fault, and nothing of what the fault did. */
export const BEFORE_ONLY = 'SOT';

/** Whether an evaluated probe says something of the fault. Pure. */
export function judgesFault({
  verdict,
  mode,
}: {
  readonly verdict?: string;
  readonly mode?: string;
}): boolean {
  return verdict === 'Failed' || (verdict === 'Passed' && mode !== BEFORE_ONLY);
}

/** What an experiment was judged by. */
type Judged = Pick<ExperimentReport, 'probes' | 'probeSuccessPercentage'>;

/**
 * What probes judged of an experiment: the time in which the fault was in force, only what came after it, nothing; of an experiment without a
 * result that is not known. Pure.
 */
export function judgedBy({
  probes,
  probeSuccessPercentage,
}: Judged): 'during' | 'after' | 'nothing' | 'unknown' {
  const judging = probes.filter(judgesFault);
  if (judging.length > 0) return judging.some(({ mode }) => isLasting(mode)) ? 'during' : 'after';
  return probes.length === 0 && probeSuccessPercentage === undefined ? 'unknown' : 'nothing';
}

/** What a pass does not say, for want of probes; undefined for one that probes confirm, and for what did not pass. Pure. */
export function passDoubt(experiment: Judged & Pick<ExperimentReport, 'verdict'>): string | undefined {
  if (experiment.verdict !== 'Pass') return undefined;
  const judged = judgedBy(experiment);
  return judged === 'nothing' ? NOTHING_JUDGED : judged === 'after' ? NOTHING_DURING : undefined;
}

/** Whether a probe has stopped an experiment, by `stopOnFailure`, as a user would: that is a failure. Pure. */
export function isEndedByProbe(verdict: string, probes: readonly { readonly verdict: string }[]): boolean {
  return verdict === 'Stopped' && probes.some((probe) => probe.verdict === 'Failed');
}
