import { NO_TEMPLATES } from '@turnsole/workflows/validation/library';
import type { Manifest } from '../../services/manifests/load.ts';
import type { ReadManifests } from '../../services/manifests/read.ts';
import { nextOccurrences } from '../../services/manifests/schedules.ts';
import { type CheckFilesOptions, checkFiles, refuseChecked } from '../../services/plan/check-files.ts';
import { refuseUnchecked } from '../../services/plan/unchecked.ts';
import { refuseWorkflows } from './refuse-workflows.ts';

/** Manifests that are to be run. */
export interface RunInput extends ReadManifests {
  /** All engines that are planned beforehand: those to run, and the next one of each schedule. */
  readonly planned: readonly Manifest[];
}

/** How strictly manifests are judged before a cluster is there. */
interface BeforeOptions {
  /** Refuses engines with an experiment that no probe judges. */
  readonly requireChecks: boolean;
  readonly before: CheckFilesOptions;
  readonly nowMs: number;
}

/**
 * Judges manifests that are to be run, before a cluster is started or asked.
 *
 * @throws BadInputError with every problem
 */
export async function refuseBefore(
  read: ReadManifests,
  { requireChecks, before, nowMs }: BeforeOptions,
): Promise<RunInput> {
  const { engines, schedules, workflows, others } = read;
  const planned = [...engines, ...nextOccurrences(schedules, nowMs).engines];
  if (requireChecks) refuseUnchecked(planned);
  refuseChecked(await checkFiles(planned, others, before));
  refuseWorkflows([...workflows, ...others], before.cluster === 'nothing' ? NO_TEMPLATES : undefined);
  return { ...read, planned };
}
