import type { ChaosEngine } from '../../api/index.ts';
import { BadInputError, formatProblem, type InputProblem } from '../errors.ts';
import { placeOf, sortForApply } from './apply.ts';
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
  const refused = [...repeated(engines), ...stopped(engines)];
  if (refused.length > 0) throw new BadInputError(refused);
  return { engines, others: sorted.filter(({ object }) => object.kind !== 'ChaosEngine') };
}

/** Engines whose name stands in the files before: the later one would silently replace the earlier one's run. Pure. */
export function repeated(engines: readonly Manifest[]): InputProblem[] {
  const first = new Map<string, Manifest>();
  return engines.flatMap((engine) => {
    const { name, namespace } = engine.object.metadata;
    const key = `${namespace ?? ''}/${name}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, engine);
      return [];
    }
    const message = `this engine stands in ${earlier.file}:${earlier.line} already; give one of them another name`;
    return [{ ...placeOf(engine, 'metadata', 'name'), field: 'metadata.name', message }];
  });
}

/** Engines that no operator would begin to run. Pure. */
export function stopped(engines: readonly Manifest[]): InputProblem[] {
  return engines
    .filter(({ object }) => (object as ChaosEngine).spec?.engineState === 'stop')
    .map((engine) => ({
      ...placeOf(engine, 'spec', 'engineState'),
      field: 'spec.engineState',
      message: 'found "stop", with which nothing is run; set it to "active"',
    }));
}
