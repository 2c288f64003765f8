import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { apiVersionOf, type ChaosEngine } from '../../api/index.ts';
import { suggest } from '../../api/validation/suggest.ts';
import { BadInputError, formatProblem, type InputProblem } from '../errors.ts';
import { placeOf, sortForApply } from './apply.ts';
import { loadManifests, type Manifest } from './load.ts';
import { nextOccurrences } from './schedules.ts';
import { checkManifests, isHubMetadata } from './validate.ts';

/** What the files hold, in the order in which it can be applied. */
export interface ReadManifests {
  /** Engines to run, those of schedules among them. */
  readonly engines: readonly Manifest[];
  /** Schedules to apply and follow: those of `real` alone. */
  readonly schedules: readonly Manifest[];
  readonly others: readonly Manifest[];
}

/** How schedules are taken: `next` runs the next occurrence at once, `real` leaves the times to the operator. */
export type ScheduleMode = 'next' | 'real';

/**
 * Loads and checks manifests: what is run apart from what it needs.
 *
 * @throws BadInputError with everything that is wrong, or when there is nothing to run among them
 */
export async function readManifests(
  paths: readonly string[],
  progress: { step(message: string): void },
  { mode, nowMs }: { readonly mode: ScheduleMode; readonly nowMs: number },
): Promise<ReadManifests> {
  const manifests = (await loadManifests(paths)).filter((manifest) => !isHubMetadata(manifest));
  const { problems, warnings } = checkManifests(manifests);
  if (problems.length > 0) throw new BadInputError(problems);
  for (const warning of warnings) progress.step(`warning: ${formatProblem(warning)}`);
  const sorted = sortForApply(manifests);
  const ofKind = (kind: string): Manifest[] =>
    sorted.filter((one) => isChaos(one) && one.object.kind === kind);
  const [engines, schedules] = [ofKind('ChaosEngine'), ofKind('ChaosSchedule')];
  if (engines.length + schedules.length === 0) throw new BadInputError(nothingToRun(paths, sorted));
  const next = nextOccurrences(schedules, nowMs);
  const all = mode === 'next' ? [...engines, ...next.engines] : engines;
  const refused = [...repeated(all), ...stopped(all), ...next.problems, ...notServed(sorted)];
  if (refused.length > 0) throw new BadInputError(refused);
  for (const note of notRun(sorted)) progress.step(note);
  const others = sorted.filter((one) => !engines.includes(one) && !schedules.includes(one));
  return { engines: all, schedules: mode === 'real' ? schedules : [], others };
}

const CHAOS_KINDS = CUSTOM_RESOURCES.map(({ resource }) => resource.kind);
const CHAOS_GROUP = 'litmuschaos.io/';

function isChaos({ object }: Manifest): boolean {
  return object.apiVersion.startsWith(CHAOS_GROUP);
}

/** Why nothing is run, with what was found instead. Pure. */
export function nothingToRun(paths: readonly string[], manifests: readonly Manifest[]): InputProblem[] {
  const unknown = notServed(manifests);
  if (unknown.length > 0) return unknown;
  const found = manifests.map(({ object }) => `${object.kind} ${object.metadata.name}`);
  const listed = found.slice(0, LISTED_OBJECTS).join(', ');
  const more = found.length > LISTED_OBJECTS ? ` and ${found.length - LISTED_OBJECTS} more` : '';
  const message = `no ChaosEngine and no ChaosSchedule found, so there is nothing to run; found ${listed}${more}`;
  return [{ file: paths.join(' '), message }];
}

const LISTED_OBJECTS = 5;

/** Objects of the group of the chaos kinds whose kind or version there is not: no cluster would store them. Pure. */
export function notServed(manifests: readonly Manifest[]): InputProblem[] {
  return manifests.filter(isChaos).flatMap((manifest) => {
    const { kind, apiVersion } = manifest.object;
    const known = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === kind);
    if (known === undefined) {
      const near = suggest(kind, CHAOS_KINDS) ?? 'ChaosEngine';
      const message = `there is no kind ${kind} in ${apiVersion}; did you mean ${near}?`;
      return [{ ...placeOf(manifest, 'kind'), field: 'kind', message }];
    }
    const expected = apiVersionOf(known.resource);
    if (apiVersion === expected) return [];
    const message = `there is no version ${apiVersion} of ${kind}; write ${expected}`;
    return [{ ...placeOf(manifest, 'apiVersion'), field: 'apiVersion', message }];
  });
}

/** What looks as if it were run and is only applied. Pure. */
export function notRun(manifests: readonly Manifest[]): string[] {
  return manifests
    .filter(({ object }) => /(^|Cron)Workflow$/.test(object.kind))
    .map(
      ({ object }) =>
        `not run: ${object.kind} ${object.metadata.name}; it is applied, and its own controller runs it`,
    );
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
