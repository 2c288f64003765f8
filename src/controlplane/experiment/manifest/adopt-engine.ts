import type { Json } from '@turnsole/kube/text/json';
import { adoptProbes } from '../../probe/adopt.ts';
import type { KeptProbe } from '../../probe/manifest-probe.ts';
import { PROBE_REFERENCES, type ProbeReference } from '../../probe/references.ts';
import { type ExperimentsPath, experimentsAt, probesOf, referencesOf } from './engine-part.ts';
import type { Edit } from './engine-text.ts';

/** The probes of a project during the preparation of a manifest. */
export interface ProbeBook {
  readonly known: ReadonlyMap<string, KeptProbe>;
  /** Makes a name unique. */
  readonly suffix: () => string;
}

/** An engine as stored with its experiment. */
interface AdoptedEngine {
  readonly references: readonly ProbeReference[];
  readonly made: readonly KeptProbe[];
  readonly edits: readonly Edit[];
}

/**
 * Turns the probes of an engine's first experiment into probes of the project, which its annotation then names, unless it names some already.
 * They also stay in the engine, so that an exported manifest is complete. Pure.
 *
 * @throws ManifestError for an annotation that cannot be read
 */
export function adoptEngine(engine: Json, path: ExperimentsPath, book: ProbeBook): AdoptedEngine {
  const named = referencesOf(engine);
  if (named !== undefined) return { references: named, made: [], edits: [] };
  const inline = probesOf(experimentsAt(engine, path)[0]);
  const { references, made, renamed } = adoptProbes(inline, book.known, book.suffix);
  if (references.length === 0) return { references, made, edits: [] };
  const names = [...renamed].map(([index, value]) => ({
    path: [...path, 0, 'spec', 'probe', index, 'name'],
    value,
  }));
  const annotation = {
    path: ['metadata', 'annotations', PROBE_REFERENCES],
    value: JSON.stringify(references),
  };
  return { references, made, edits: [...names, annotation] };
}
