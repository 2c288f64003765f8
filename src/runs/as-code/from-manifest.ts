import { BuiltExperiment } from './experiment.ts';
import type { Experiment } from './types.ts';

/**
 * An experiment of a manifest (YAML or JSON): ChaosEngines, ChaosSchedules (their next occurrence) and Workflows, with what they need beside
 * them. Its namespaces, accounts and ChaosExperiments are its own: nothing is added to it.
 *
 * @param title name of it in messages, such as the path of the file
 * @throws ChaosError INPUT_REFUSED with every problem, each with its line
 */
export function fromManifest(text: string, title = 'manifest'): Experiment {
  const made = new BuiltExperiment({ title, text });
  made.read({ namespace: 'default', allowsStopped: true, beside: [] });
  return made;
}
