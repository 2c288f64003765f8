import { isObject, type Json, listAt, objectAt, textAt } from '@turnsole/kube/text/json';
import { parseAllDocuments } from 'yaml';
import { ManifestError } from './manifest-error.ts';

/** Kinds that can be an experiment. */
const EXPERIMENT_KINDS = ['Workflow', 'CronWorkflow', 'ChaosEngine', 'ChaosSchedule'] as const;

type ExperimentKind = (typeof EXPERIMENT_KINDS)[number];

/** The manifest of an experiment, as an object with all its fields. */
export interface Manifest {
  readonly kind: ExperimentKind;
  readonly name: string;
  readonly object: Json;
}

/**
 * Reads the manifest of an experiment from JSON text, or from YAML with one document. Pure.
 *
 * @param name that the request gives the experiment
 * @throws ManifestError
 */
export function readManifest(text: string, name: string): Manifest {
  const manifest = readStored(text);
  const problem = valueProblem(manifest.object);
  if (problem !== undefined) throw new ManifestError(`cannot take the manifest of ${name}: ${problem}`);
  if (manifest.name !== name) throw new ManifestError(`${manifest.kind} name doesn't match`);
  if (manifest.kind === 'CronWorkflow' && cronSyntaxOf(manifest) === '') {
    throw new ManifestError('failed to process cron workflow, cron syntax not provided in manifest');
  }
  return manifest;
}

/** Reads a manifest that passed {@link readManifest} before. @throws ManifestError */
export function readStored(text: string): Manifest {
  const object = parse(text);
  const kind = EXPERIMENT_KINDS.find((known) => known.toLowerCase() === textAt(object, 'kind').toLowerCase());
  if (kind === undefined) {
    throw new ManifestError('not a valid object, only workflows/cron workflows/chaos engines supported');
  }
  return { kind, name: textAt(objectAt(object, 'metadata'), 'name'), object: { ...object, kind } };
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    const value = parseYaml(text);
    if (isObject(value)) return value;
  }
  throw new ManifestError('failed to unmarshal workflow manifest1');
}

/** The only object of a YAML text; empty documents do not count. */
function parseYaml(text: string): unknown {
  try {
    const documents = parseAllDocuments(text, { merge: true, prettyErrors: false });
    if (documents.some(({ errors }) => errors.length > 0)) return undefined;
    const values: unknown[] = documents.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
    const [first, second] = values.filter((value) => value !== null);
    return second === undefined ? first : undefined;
  } catch {
    // Too many aliases.
    return undefined;
  }
}

/** The cron expression of a CronWorkflow; several are joined by a comma and a blank. Empty for other kinds. Pure. */
export function cronSyntaxOf(manifest: Manifest): string {
  return cronsOf(manifest).join(', ');
}

/** The cron expressions of a CronWorkflow; none for other kinds. Pure. */
export function cronsOf({ kind, object }: Manifest): readonly string[] {
  if (kind !== 'CronWorkflow') return [];
  const spec = objectAt(object, 'spec');
  const schedule = textAt(spec, 'schedule');
  return schedule === '' ? listAt(spec, 'schedules').filter((one) => typeof one === 'string') : [schedule];
}

/** Levels of nested objects and lists. Manifests have some twenty; JSON serialisers fail at some thousands. */
const MOST_LEVELS = 200;

/** Why a manifest cannot be stored; undefined if it can. Pure. */
function valueProblem(manifest: object): string | undefined {
  // Iterative: a value too deep for JSON serialisers is too deep for recursion.
  const left: { readonly value: unknown; readonly level: number }[] = [{ value: manifest, level: 1 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, level } = next;
    if (typeof value === 'string' && value.includes('\u0000')) return 'a text of it holds the character NUL';
    if (typeof value !== 'object' || value === null) continue;
    if (level > MOST_LEVELS) return `it is nested deeper than ${MOST_LEVELS} levels`;
    for (const inner of Object.values(value)) left.push({ value: inner, level: level + 1 });
  }
  return undefined;
}
