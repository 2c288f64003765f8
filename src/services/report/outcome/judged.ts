import type { ExperimentReport } from '../model.ts';

/** What is said of a pass that no probe has confirmed. */
export const NOTHING_JUDGED = 'nothing judged what users saw';

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

/** Whether probes judged an experiment: of one without a result that is not known. Pure. */
export function judgedBy({
  probes,
  probeSuccessPercentage,
}: Pick<ExperimentReport, 'probes' | 'probeSuccessPercentage'>): 'probes' | 'nothing' | 'unknown' {
  if (probes.some(judgesFault)) return 'probes';
  return probes.length === 0 && probeSuccessPercentage === undefined ? 'unknown' : 'nothing';
}

/** Whether an experiment passed without any probe that judged it. Pure. */
export function isUnjudgedPass(
  experiment: Pick<ExperimentReport, 'verdict' | 'probes' | 'probeSuccessPercentage'>,
): boolean {
  return experiment.verdict === 'Pass' && judgedBy(experiment) === 'nothing';
}
