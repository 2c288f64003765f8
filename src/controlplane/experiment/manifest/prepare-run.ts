import { equalJson, type Json, objectAt, textAt } from '@turnsole/kube/text/json';
import type { KeptProbe } from '../../probe/manifest-probe.ts';
import { resolveProbes } from '../../probe/references.ts';
import {
  type ExperimentsPath,
  editedObject,
  experimentsAt,
  IN_ENGINE,
  IN_SCHEDULE,
  probesOf,
  referencesOf,
} from './engine-part.ts';
import { type EngineStep, engineSteps, withSteps } from './engine-steps.ts';
import type { Edit } from './engine-text.ts';
import { stepLabels, withLabels } from './labels.ts';
import { ManifestError } from './manifest-error.ts';
import type { Manifest } from './read-manifest.ts';

/** Inputs for one run of an experiment. */
interface RunContext {
  /** Name of the run's object, and the id in its events. */
  readonly run: { readonly name: string; readonly notifyID: string };
  readonly kept: ReadonlyMap<string, KeptProbe>;
}

/**
 * The object that an agent creates for one run of a Workflow or ChaosEngine. Pure.
 *
 * @throws ManifestError
 */
export function prepareRun(manifest: Manifest, { run, kept }: RunContext): Json {
  const object = prepareObject(manifest, kept);
  const labelled = withLabels(object, { notify_id: run.notifyID });
  return { ...labelled, metadata: { ...objectAt(labelled, 'metadata'), name: run.name } };
}

/**
 * The object that an agent creates for a CronWorkflow or ChaosSchedule: it keeps its name, and starts runs by itself. Pure.
 *
 * @throws ManifestError
 */
export function prepareSchedule(manifest: Manifest, kept: ReadonlyMap<string, KeptProbe>): Json {
  return prepareObject(manifest, kept);
}

/** Whether an experiment starts runs by itself, once an agent has it. */
export function isSchedule({ kind }: Pick<Manifest, 'kind'>): boolean {
  return kind === 'CronWorkflow' || kind === 'ChaosSchedule';
}

function prepareObject(manifest: Manifest, kept: ReadonlyMap<string, KeptProbe>): Json {
  const infraID = infraOf(manifest.object);
  switch (manifest.kind) {
    case 'Workflow':
    case 'CronWorkflow':
      return withRunEngines(manifest, infraID, kept);
    case 'ChaosEngine':
      return standalone(manifest.object, IN_ENGINE, kept);
    case 'ChaosSchedule':
      return standalone(manifest.object, IN_SCHEDULE, kept);
  }
}

function infraOf(object: Json): string {
  const infraID = textAt(objectAt(objectAt(object, 'metadata'), 'labels'), 'infra_id');
  if (infraID !== '') return infraID;
  throw new ManifestError(
    'failed to rerun the chaos experiment due to invalid metadata/labels. Check the troubleshooting guide or contact support',
  );
}

function withRunEngines(manifest: Manifest, infraID: string, kept: ReadonlyMap<string, KeptProbe>): Json {
  const changes = new Map<EngineStep, { readonly data: string }>();
  for (const step of engineSteps(manifest)) {
    const labels = Object.entries(stepLabels(infraID)).map(([label, value]) => ({
      path: ['metadata', 'labels', label],
      value,
    }));
    const edits = [...labels, ...runEdits(step.engine.object, IN_ENGINE, kept)];
    changes.set(step, { data: step.engine.edited(edits) });
  }
  return withSteps(manifest, changes);
}

function standalone(object: Json, path: ExperimentsPath, kept: ReadonlyMap<string, KeptProbe>): Json {
  return editedObject(object, runEdits(object, path, kept));
}

/** Namespace of an object; empty for that of the infrastructure. */
export function namespaceOf(object: Json): string {
  return textAt(objectAt(object, 'metadata'), 'namespace');
}

/** A stored CronWorkflow or ChaosSchedule, suspended or resumed. Pure. */
export function withSuspended({ kind, object }: Manifest, isSuspended: boolean): Json {
  const spec = objectAt(object, 'spec');
  if (kind === 'CronWorkflow') return { ...object, spec: { ...spec, suspend: isSuspended } };
  return { ...object, spec: { ...spec, scheduleState: isSuspended ? 'halt' : 'active' } };
}

/**
 * Edits of an engine for a run: adds the probes that it names to those that it contains, each once and with units. Pure.
 *
 * @throws ManifestError for a probe that neither the project nor the engine has
 */
function runEdits(
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
