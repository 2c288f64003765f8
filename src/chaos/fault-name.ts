import type { ChaosExperiment } from '../api/schema/experiment.ts';

/**
 * The fault a ChaosExperiment runs: the `-name` of its command line, which may differ from the name of the object; else that
 * name. Pure.
 */
export function faultNameOf(experiment: ChaosExperiment): string {
  const { command, args } = experiment.spec.definition;
  const line = [...(command ?? []), ...(args ?? [])].join(' ');
  return /(?:^|\s)--?name[=\s]+([a-z0-9-]+)/.exec(line)?.[1] ?? experiment.metadata.name;
}
