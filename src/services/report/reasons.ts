import type { ExperimentReport } from './model.ts';

/** Why an experiment did not pass, each reason a line: its error, and the probes that failed with what they found. Pure. */
export function reasonsOf(experiment: Pick<ExperimentReport, 'verdict' | 'probes' | 'reason'>): string[] {
  if (experiment.verdict === 'Pass') return [];
  const failed = experiment.probes
    .filter((probe) => probe.verdict === 'Failed')
    .map((probe) => `probe ${probe.name}: ${probe.description || 'failed'}`);
  return [...(experiment.reason === undefined ? [] : [experiment.reason]), ...failed];
}
