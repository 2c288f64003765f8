import { apiVersionOf } from '@turnsole/kube/kinds/resources';
import { suggest } from '@turnsole/kube/schema/suggest';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import type { ChaosEngine } from '../../api/index.ts';
import { BadInputError, formatProblem, type InputNote, type InputProblem } from '../errors.ts';
import { placeOf, sortForApply } from './apply.ts';
import { foldersLeftOut, loadManifests, type Manifest, parseManifests } from './load.ts';
import { nextOccurrences } from './schedules.ts';
import { checkManifests, isHubMetadata } from './validate.ts';
import { workflowsToRun } from './workflows.ts';

/** What the files hold, in the order in which it can be applied. */
export interface ReadManifests {
  /** Engines to run, those of schedules among them. */
  readonly engines: readonly Manifest[];
  /** Schedules to apply and follow: those of `real` alone. */
  readonly schedules: readonly Manifest[];
  /** Workflows to run, those of CronWorkflows among them; each has a name. */
  readonly workflows: readonly Manifest[];
  readonly others: readonly Manifest[];
  /** What the files say and nothing reads. */
  readonly warnings: readonly InputNote[];
}

/** How schedules are taken: `next` runs the next occurrence at once, `real` leaves the times to the operator. */
export type ScheduleMode = 'next' | 'real';

/** How manifests are taken. */
export interface ReadOptions {
  readonly mode: ScheduleMode;
  readonly nowMs: number;
  /** Engines that no operator would begin to run: a plan looks at them all the same. @default they are refused */
  readonly allowsStopped?: boolean;
}

/** Gets the warnings about manifests that are accepted all the same. */
interface WarningListener {
  step(message: string): void;
}

/**
 * Loads manifests from files and folders, and tells which folders are left out.
 *
 * @param isRecursive whether folders are read with all below them
 * @throws BadInputError
 */
export async function loadFiles(
  paths: readonly string[],
  progress: WarningListener,
  isRecursive = false,
): Promise<Manifest[]> {
  const left = isRecursive ? [] : await foldersLeftOut(paths);
  if (left.length > 0)
    progress.step(`not read: ${left.join(', ')}; --recursive reads folders with all below them`);
  return loadManifests(paths, isRecursive);
}

/**
 * Loads and checks manifests: separates what is run from what it needs.
 *
 * @throws BadInputError with all problems, or when nothing among them can be run
 */
export async function readManifests(
  paths: readonly string[],
  progress: WarningListener,
  options: ReadOptions,
  isRecursive?: boolean,
): Promise<ReadManifests> {
  const found = sortManifests(await loadFiles(paths, progress, isRecursive), paths.join(' '), options);
  for (const warning of found.warnings) progress.step(`warning: ${formatProblem(warning)}`);
  return found;
}

/**
 * The same for one text; `title` stands for its file in messages. Pure.
 *
 * @throws BadInputError
 */
export function readManifestText(title: string, text: string, options: ReadOptions): ReadManifests {
  return readManifestTexts([{ title, text }], options);
}

/**
 * The same for several texts, each with a title of its own. Pure.
 *
 * @throws BadInputError
 */
export function readManifestTexts(
  texts: readonly { readonly title: string; readonly text: string }[],
  options: ReadOptions,
): ReadManifests {
  const problems: InputProblem[] = [];
  const manifests = texts.flatMap(({ title, text }) => parseManifests(title, text, problems));
  if (problems.length > 0) throw new BadInputError(problems);
  return sortManifests(manifests, texts.map(({ title }) => title).join(' '), options);
}

/**
 * The same for manifests that are loaded already; `source` stands for their files in messages. Pure.
 *
 * @throws BadInputError
 */
export function sortManifests(
  loaded: readonly Manifest[],
  source: string,
  { mode, nowMs, allowsStopped = false }: ReadOptions,
): ReadManifests {
  const manifests = loaded.filter((manifest) => !isHubMetadata(manifest));
  const { problems, warnings } = checkManifests(manifests);
  if (problems.length > 0) throw new BadInputError(problems);
  const sorted = sortForApply(manifests);
  const ofKind = (kind: string): Manifest[] =>
    sorted.filter((one) => isChaos(one) && one.object.kind === kind);
  const [engines, schedules] = [ofKind('ChaosEngine'), ofKind('ChaosSchedule')];
  const { workflows, refusals, stored } = workflowsToRun(sorted, { mode, nowMs });
  if (engines.length + schedules.length + workflows.length + refusals.length === 0)
    throw new BadInputError(nothingToRun(source, sorted));
  const next = nextOccurrences(schedules, nowMs);
  const all = mode === 'next' ? [...engines, ...next.engines] : engines;
  const refused = [
    ...repeated([...all, ...workflows]),
    ...(allowsStopped ? [] : stopped(all)),
    ...next.problems,
    ...refusals,
    ...notServed(sorted),
  ];
  if (refused.length > 0) throw new BadInputError(refused);
  const run = [...engines, ...schedules, ...stored];
  const others = sorted.filter((one) => !run.includes(one));
  return { engines: all, schedules: mode === 'real' ? schedules : [], workflows, others, warnings };
}

const CHAOS_KINDS = CUSTOM_RESOURCES.map(({ resource }) => resource.kind);
const CHAOS_GROUP = 'litmuschaos.io/';

function isChaos({ object }: Manifest): boolean {
  return object.apiVersion.startsWith(CHAOS_GROUP);
}

/** Why nothing is run, with what was found instead. Pure. */
function nothingToRun(source: string, manifests: readonly Manifest[]): InputProblem[] {
  const unknown = notServed(manifests);
  if (unknown.length > 0) return unknown;
  const found = manifests.map(({ object }) => `${object.kind} ${object.metadata.name}`);
  const listed = found.slice(0, LISTED_OBJECTS).join(', ');
  const more = found.length > LISTED_OBJECTS ? ` and ${found.length - LISTED_OBJECTS} more` : '';
  const message = `no ChaosEngine, ChaosSchedule, Workflow or CronWorkflow found, so there is nothing to run; found ${listed}${more}${howToRun(manifests)}`;
  return [{ file: source, code: 'NOTHING_TO_RUN', message }];
}

const LISTED_OBJECTS = 5;

/** What makes an application without experiments run: half a sentence, empty where there is none. Pure. */
function howToRun(manifests: readonly Manifest[]): string {
  const workload = manifests.find(({ object: { kind } }) =>
    /^(Deployment|StatefulSet|DaemonSet)$/.test(kind),
  );
  if (workload === undefined) return '';
  const { kind, metadata } = workload.object;
  const target = `${kind.toLowerCase()}/${metadata.name}`;
  return `; "--fault pod-delete --target ${target}" is an experiment on it, and "turnsole init" writes some`;
}

/** Objects of the group of the chaos kinds with an unknown kind or version: no cluster would store them. Pure. */
function notServed(manifests: readonly Manifest[]): InputProblem[] {
  return manifests.filter(isChaos).flatMap((manifest) => {
    const { kind, apiVersion } = manifest.object;
    const known = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === kind);
    if (known === undefined) {
      const near = suggest(kind, CHAOS_KINDS) ?? 'ChaosEngine';
      const message = `there is no kind ${kind} in ${apiVersion}; did you mean ${near}?`;
      return [{ ...placeOf(manifest, 'kind'), field: 'kind', code: 'KIND_UNKNOWN', message }];
    }
    const expected = apiVersionOf(known.resource);
    if (apiVersion === expected) return [];
    const message = `there is no version ${apiVersion} of ${kind}; write ${expected}`;
    return [{ ...placeOf(manifest, 'apiVersion'), field: 'apiVersion', code: 'KIND_UNKNOWN', message }];
  });
}

/** Objects to run whose name an earlier file has already: the later one would silently replace the earlier one's run. Pure. */
function repeated(engines: readonly Manifest[]): InputProblem[] {
  const first = new Map<string, Manifest>();
  return engines.flatMap((engine) => {
    const { name, namespace } = engine.object.metadata;
    const { kind } = engine.object;
    const key = `${kind}/${namespace ?? ''}/${name}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, engine);
      return [];
    }
    const what = kind === 'Workflow' ? 'workflow' : 'engine';
    const message = `this ${what} stands in ${earlier.file}:${earlier.line} already; give one of them another name`;
    return [
      { ...placeOf(engine, 'metadata', 'name'), field: 'metadata.name', code: 'OBJECT_TWICE', message },
    ];
  });
}

/** Engines that no operator would begin to run. Pure. */
function stopped(engines: readonly Manifest[]): InputProblem[] {
  return engines
    .filter(({ object }) => (object as ChaosEngine).spec?.engineState === 'stop')
    .map((engine) => ({
      ...placeOf(engine, 'spec', 'engineState'),
      field: 'spec.engineState',
      code: 'NOTHING_TO_RUN',
      message: 'found "stop", with which nothing is run; set it to "active"',
    }));
}
