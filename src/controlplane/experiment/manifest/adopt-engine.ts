import { adoptProbes } from '../../probe/adopt.ts';
import type { KeptProbe } from '../../probe/manifest-probe.ts';
import { PROBE_REFERENCES, type ProbeReference } from '../../probe/references.ts';
import { type ExperimentsPath, experimentsAt, probesOf, referencesOf } from './engine-part.ts';
import type { Edit } from './engine-text.ts';
import type { Json } from './json.ts';

/** What a project knows of probes while a manifest is prepared. */
export interface ProbeBook {
  readonly known: ReadonlyMap<string, KeptProbe>;
  /** Makes a name unique. */
  readonly suffix: () => string;
}

/** What becomes of an engine whose experiment is stored. */
interface AdoptedEngine {
  readonly references: readonly ProbeReference[];
  readonly made: readonly KeptProbe[];
  readonly edits: readonly Edit[];
}

/**
 * The probes of an engine's first experiment become probes of the project, which its annotation then names, unless it names some already.
 * They also stay where they are: a manifest that leaves the server is whole. Pure.
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
