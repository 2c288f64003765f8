import { isObject, type Json, listAt, objectAt, textAt } from '@turnsole/kube/text/json';
import {
  PROBE_REFERENCES,
  type ProbeReference,
  readReferences,
  referenceProblem,
} from '../../probe/references.ts';
import type { Edit } from './engine-text.ts';
import { ManifestError } from './manifest-error.ts';

/** Path to the experiments of an object's engine. */
export type ExperimentsPath =
  | readonly ['spec', 'experiments']
  | readonly ['spec', 'engineTemplateSpec', 'experiments'];

/** In a ChaosEngine. */
export const IN_ENGINE: ExperimentsPath = ['spec', 'experiments'];
/** In a ChaosSchedule. */
export const IN_SCHEDULE: ExperimentsPath = ['spec', 'engineTemplateSpec', 'experiments'];

/** `experiments` of an engine, or of a schedule's engine template. */
export function experimentsAt(object: Json, path: ExperimentsPath): readonly unknown[] {
  const parent = path.slice(0, -1).reduce<Json>((at, key) => objectAt(at, key), object);
  return listAt(parent, 'experiments');
}

/** The probes in an experiment. */
export function probesOf(experiment: unknown): readonly unknown[] {
  return isObject(experiment) ? listAt(objectAt(experiment, 'spec'), 'probe') : [];
}

/** @throws ManifestError for an engine that names no experiment */
export function checkExperiments(object: Json, path: ExperimentsPath, name: string): void {
  if (!isObject(experimentsAt(object, path)[0])) {
    throw new ManifestError(`no experiments specified in chaosengine - ${name}`);
  }
}

/**
 * The probes of the project that an engine names; undefined when it has no such annotation.
 *
 * @throws ManifestError for an annotation that holds something else, or a probe without a known mode
 */
export function referencesOf(object: Json): ProbeReference[] | undefined {
  const text = textAt(objectAt(objectAt(object, 'metadata'), 'annotations'), PROBE_REFERENCES);
  if (text === '') return undefined;
  const references = readReferences(text);
  if (references === undefined) {
    throw new ManifestError('failed to unmarshal experiment annotation object');
  }
  // Upstream stores a probe without a mode. Its run then stops at the API server, or ends without having asked the probe.
  for (const reference of references) {
    const problem = referenceProblem(reference);
    if (problem !== undefined) throw new ManifestError(problem);
  }
  return references;
}

/** An object with changed fields; {@link EngineText.edited} does the same for a text. Pure. */
export function editedObject(object: Json, edits: readonly Edit[]): Json {
  return edits.reduce((before, { path, value }) => setIn(before, path, value) as Json, object);
}

function setIn(target: unknown, path: Edit['path'], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list: readonly unknown[] = Array.isArray(target) ? target : [];
    return list.with(key, setIn(list[key], rest, value));
  }
  const before = isObject(target) ? target : {};
  return { ...before, [key]: setIn(before[key], rest, value) };
}
