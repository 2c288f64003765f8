import { BadInputError, formatProblem } from '../errors.ts';
import { sortForApply } from './apply.ts';
import { loadManifests, type Manifest } from './load.ts';
import { checkManifests, isHubMetadata } from './validate.ts';

/**
 * Loads and checks manifests: engines apart from what they need, both in the order in which they can be applied.
 *
 * @throws BadInputError with everything that is wrong, or when there is no engine among them
 */
export async function readManifests(
  paths: readonly string[],
  progress: { step(message: string): void },
): Promise<{ engines: Manifest[]; others: Manifest[] }> {
  const manifests = (await loadManifests(paths)).filter((manifest) => !isHubMetadata(manifest));
  const { problems, warnings } = checkManifests(manifests);
  if (problems.length > 0) throw new BadInputError(problems);
  for (const warning of warnings) progress.step(`warning: ${formatProblem(warning)}`);
  const sorted = sortForApply(manifests);
  const engines = sorted.filter(({ object }) => object.kind === 'ChaosEngine');
  if (engines.length === 0) {
    throw new BadInputError([
      { file: paths.join(' '), message: 'no ChaosEngine found, so there is nothing to run' },
    ]);
  }
  return { engines, others: sorted.filter(({ object }) => object.kind !== 'ChaosEngine') };
}
