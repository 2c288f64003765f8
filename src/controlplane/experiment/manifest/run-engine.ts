import { equalJson } from '@turnsole/kube/text/json';
import type { KeptProbe } from '../../probe/manifest-probe.ts';
import { resolveProbes } from '../../probe/references.ts';
import { type ExperimentsPath, experimentsAt, probesOf, referencesOf } from './engine-part.ts';
import type { Edit } from './engine-text.ts';
import type { Json } from './json.ts';
import { ManifestError } from './manifest-error.ts';

/**
 * Edits of an engine for a run: adds the probes that it names to those that it contains, each once and with units. Pure.
 *
 * @throws ManifestError for a probe that neither the project nor the engine has
 */
export function runEdits(
  engine: Json,
  path: ExperimentsPath,
  kept: ReadonlyMap<string, KeptProbe>,
): readonly Edit[] {
  const references = referencesOf(engine) ?? [];
  return experimentsAt(engine, path).flatMap((experiment, index) => {
    const inline = probesOf(experiment);
    const { probes, missing } = resolveProbes(inline, index === 0 ? references : [], kept);
    if (missing.length > 0) {
      throw new ManifestError(
        `failed to generate probes in workflow manifest, err: failed to fetch probe details: the project has no probe named ${missing.join(', ')}`,
      );
    }
    if (equalJson(probes, inline)) return [];
    return [{ path: [...path, index, 'spec', 'probe'], value: probes }];
  });
}
