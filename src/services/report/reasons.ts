import { plainWords } from './error-words.ts';
import type { EngineReport, ExperimentReport } from './model.ts';

/** An engine as people see it: its name was drawn where a workflow has made it, so with the step that did. Pure. */
export function engineText({
  namespace,
  name,
  step,
}: Pick<EngineReport, 'namespace' | 'name' | 'step'>): string {
  return `${namespace}/${name}${step === undefined ? '' : ` (${step})`}`;
}

/**
 * Why an experiment did not pass, each reason a line: its error, and the probes that failed with what they found, as far as the error does not
 * have that already. Pure.
 */
export function reasonsOf(experiment: Pick<ExperimentReport, 'verdict' | 'probes' | 'reason'>): string[] {
  if (experiment.verdict === 'Pass') return [];
  const { reason } = experiment;
  const failed = experiment.probes
    .filter(
      ({ verdict, description }) => verdict === 'Failed' && !(description && reason?.includes(description)),
    )
    .map((probe) => `probe ${probe.name}: ${plainWords(probe.description || 'failed')}`);
  return [...(reason === undefined ? [] : [reason]), ...failed];
}
