import type { Condition } from '@turnsole/kube/kinds/conditions';
import { parseObject } from '@turnsole/kube/text/json';
import type { ChaosEngine, ChaosEngineSpec, ChaosEngineStatus, Execution } from '../api/schema/engine.ts';

/**
 * Clients that know only upstream's fields write a ChaosEngine as a whole (PUT) and so drop ours; what stands in `metadata`
 * survives them. These annotations keep what a run must not lose.
 */

/** `"true"` makes every run of the engine a dry run, whatever became of `spec.dryRun`. Set by users and by the command line. */
export const ANNOTATION_DRY_RUN = 'turnsole.io/dry-run';
/** JSON of {@link KeptSettings}: our settings as they were applied. Written by `turnsole run` when it applies the engine. */
export const ANNOTATION_SETTINGS = 'turnsole.io/settings';
/** JSON of a {@link RunRecord}: written by the operator before a run's first pod, removed when the run ends. */
export const ANNOTATION_RUN = 'turnsole.io/run';
/** What kubectl keeps of its input: the object once more, as text. */
export const ANNOTATION_LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Switches of an engine that only tighten: when one of several sources says true, it is true. */
export const TIGHTENING_FLAGS = [
  'dryRun',
  'requireEffect',
] as const satisfies readonly (keyof ChaosEngineSpec)[];
type TighteningFlag = (typeof TIGHTENING_FLAGS)[number];

/** Our settings of a spec, which other writers drop. */
export interface KeptSettings extends Partial<Record<TighteningFlag, true>> {
  readonly execution?: Execution;
  readonly steadyState?: ChaosEngineSpec['steadyState'];
  readonly minimumCoverage?: number;
  /** `dependsOn` by the name of the experiment. */
  readonly dependsOn?: Readonly<Record<string, readonly string[]>>;
}

/** What the operator knows of the run under way. */
export interface RunRecord {
  /** Uid of the engine: a user who makes an engine from another one's YAML copies its annotations, but not its run. */
  readonly uid: string;
  readonly runId: string;
  /** As they were when the run began. */
  readonly settings: KeptSettings;
  readonly runnerAttempts?: number;
  readonly conditions?: readonly Condition[];
  /** PROTECTED_NAMESPACES and CUSTOM_ANNOTATION of the operator, which upstream's runner does not hand on. */
  readonly protectedNamespaces?: string;
  readonly annotationKey?: string;
}

/** The settings of a spec that other writers drop. Pure. */
export function keptSettingsOf(spec: Partial<ChaosEngineSpec> | undefined): KeptSettings {
  const flags = TIGHTENING_FLAGS.filter((flag) => spec?.[flag] === true).map((flag) => [flag, true]);
  const dependencies = listOf(spec?.experiments).flatMap(({ name, dependsOn }) =>
    Array.isArray(dependsOn) && dependsOn.length > 0 ? [[name, dependsOn] as const] : [],
  );
  const { execution, steadyState, minimumCoverage } = spec ?? {};
  return {
    ...Object.fromEntries(flags),
    ...(execution === undefined || execution === null ? {} : { execution }),
    ...(steadyState === undefined || steadyState === null ? {} : { steadyState }),
    ...(typeof minimumCoverage === 'number' ? { minimumCoverage } : {}),
    ...(dependencies.length === 0 ? {} : { dependsOn: Object.fromEntries(dependencies) }),
  };
}

/** Whether a run of this engine may not inject anything: `spec.dryRun` or the annotation asks for it. Pure. */
export function wantsDryRun({
  metadata,
  spec,
}: { readonly metadata?: ChaosEngine['metadata'] } & Pick<ChaosEngine, 'spec'>): boolean {
  return spec?.dryRun === true || isTrue(metadata?.annotations?.[ANNOTATION_DRY_RUN]);
}

/** The record of the run under way; undefined without one, or for one of another engine. Pure. */
export function runRecordOf({ metadata, status }: ChaosEngine): RunRecord | undefined {
  if (status?.engineStatus !== 'initialized') return undefined;
  const record = parsed(metadata.annotations?.[ANNOTATION_RUN]) as Partial<RunRecord> | undefined;
  if (typeof record?.runId !== 'string' || record.uid !== metadata.uid) return undefined;
  return { ...record, uid: record.uid ?? '', runId: record.runId, settings: record.settings ?? {} };
}

/** The engine with what its run's record keeps and another writer has dropped. Pure; the same object when nothing is missing. */
export function restoreRun(engine: ChaosEngine): ChaosEngine {
  const record = runRecordOf(engine);
  if (record === undefined) return engine;
  const spec = restoreSettings(engine.spec, record.settings);
  const status = restoreStatus(engine.status ?? {}, record);
  return spec === engine.spec && status === engine.status ? engine : { ...engine, spec, status };
}

/**
 * The engine as the components that carry out a run must read it: with the settings of the run's record. Without a record another
 * operator has started the run; then the settings with which the engine was applied count. Pure.
 */
export function restoreEngine(engine: ChaosEngine): ChaosEngine {
  if (runRecordOf(engine) !== undefined) return restoreRun(engine);
  const kept = appliedSettings(engine);
  const spec = restoreSettings(engine.spec, kept);
  return spec === engine.spec ? engine : { ...engine, spec };
}

/** The settings with which an engine was applied, as far as kubectl or the command line noted it. Pure. */
export function appliedSettings({ metadata }: Pick<ChaosEngine, 'metadata'>): KeptSettings {
  const { annotations = {} } = metadata;
  const lastApplied = parsed(annotations[ANNOTATION_LAST_APPLIED]) as Partial<ChaosEngine> | undefined;
  const applied = parsed(annotations[ANNOTATION_SETTINGS]) as KeptSettings | undefined;
  return { ...keptSettingsOf(lastApplied?.spec), ...applied };
}

/** A spec with the kept settings in it: flags are the stricter of both, the rest fills absent fields. */
function restoreSettings(spec: ChaosEngineSpec, kept: KeptSettings): ChaosEngineSpec {
  const flags = TIGHTENING_FLAGS.filter((flag) => kept[flag] === true && spec[flag] !== true);
  const hasExecution = kept.execution === undefined || spec.execution !== undefined;
  const hasSteadyState = kept.steadyState === undefined || spec.steadyState !== undefined;
  const hasCoverage = kept.minimumCoverage === undefined || spec.minimumCoverage !== undefined;
  const lacking = listOf(spec.experiments).some(
    ({ name, dependsOn }) => dependsOn === undefined && kept.dependsOn?.[name] !== undefined,
  );
  if (flags.length === 0 && hasExecution && hasSteadyState && hasCoverage && !lacking) return spec;
  return {
    ...spec,
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(hasExecution ? {} : { execution: kept.execution }),
    ...(hasSteadyState ? {} : { steadyState: kept.steadyState }),
    ...(hasCoverage ? {} : { minimumCoverage: kept.minimumCoverage }),
    experiments: listOf(spec.experiments).map((entry) => {
      const dependsOn = entry.dependsOn ?? kept.dependsOn?.[entry.name];
      return dependsOn === undefined ? entry : { ...entry, dependsOn: [...dependsOn] };
    }),
  };
}

function restoreStatus(status: ChaosEngineStatus, record: RunRecord): ChaosEngineStatus {
  const { runId, runnerAttempts, conditions } = record;
  const isComplete =
    status.runId !== undefined &&
    (status.runnerAttempts !== undefined || runnerAttempts === undefined) &&
    (status.conditions !== undefined || conditions === undefined);
  if (isComplete) return status;
  return {
    runnerAttempts,
    ...(conditions === undefined ? {} : { conditions: [...conditions] }),
    runId,
    ...status,
  };
}

function listOf<T>(value: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}

/** Any client can edit annotations: a value that is no JSON object counts as absent. */
function parsed(text: string | undefined): object | undefined {
  return text === undefined ? undefined : parseObject(text);
}
