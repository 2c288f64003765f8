import { type Json, objectAt, textAt } from '@turnsole/kube/text/json';
import type { KeptProbe } from '../../probe/manifest-probe.ts';
import type { Fault } from '../../run/fault.ts';
import { adoptEngine, type ProbeBook } from './adopt-engine.ts';
import {
  checkExperiments,
  type ExperimentsPath,
  editedObject,
  experimentsAt,
  IN_ENGINE,
  IN_SCHEDULE,
} from './engine-part.ts';
import { type EngineStep, engineSteps, withSteps } from './engine-steps.ts';
import { type ExperimentIds, standaloneLabels, withLabels, workflowLabels } from './labels.ts';
import { ManifestError } from './manifest-error.ts';
import type { Manifest } from './read-manifest.ts';

/** A revision of an experiment: a manifest in its stored form. */
export interface StoredForm {
  readonly object: Json;
  readonly faults: readonly Fault[];
  /** New probes of the project, from the manifest. */
  readonly made: readonly KeptProbe[];
}

/** Inputs for the preparation of a manifest. */
export interface StoredContext extends ProbeBook {
  readonly ids: ExperimentIds;
  readonly weights: GivenWeights;
}

/**
 * Adds what a control plane stores in a manifest: labels of experiment, revision and infrastructure, weights of its faults, names
 * of its probes. Everything else stays unchanged, also other labels and the tags in engines. Pure.
 *
 * @throws ManifestError
 */
export function prepareStored(manifest: Manifest, context: StoredContext): StoredForm {
  switch (manifest.kind) {
    case 'Workflow':
    case 'CronWorkflow':
      return workflowForm(manifest, context);
    case 'ChaosEngine':
      return standaloneForm(manifest, IN_ENGINE, context);
    case 'ChaosSchedule':
      return standaloneForm(manifest, IN_SCHEDULE, context);
  }
}

function workflowForm(manifest: Manifest, { ids, weights, known, suffix }: StoredContext): StoredForm {
  const faults: Fault[] = [];
  const made = new Map<string, KeptProbe>();
  const changes = new Map<EngineStep, { readonly data: string; readonly weight: string }>();
  for (const step of engineSteps(manifest)) {
    const book = { known: new Map([...known, ...made]), suffix };
    const adopted = adoptEngine(step.engine.object, IN_ENGINE, book);
    for (const probe of adopted.made) made.set(probe.name, probe);
    const weight = weightOf(step.fault, step.weight, weights);
    const { fault: name, artifactName: artifact, template } = step;
    faults.push({ name, weight, artifact, template, probes: adopted.references });
    changes.set(step, { data: step.engine.edited(adopted.edits), weight: String(weight) });
  }
  const object = withWorkflowLabels(manifest.kind, withSteps(manifest, changes), workflowLabels(ids));
  return { object, faults, made: [...made.values()] };
}

/** A CronWorkflow copies its `workflowMetadata` to its workflows. */
function withWorkflowLabels(
  kind: Manifest['kind'],
  object: Json,
  labels: Readonly<Record<string, string>>,
): Json {
  const labelled = withLabels(object, labels);
  if (kind !== 'CronWorkflow') return labelled;
  return { ...labelled, spec: withLabels(objectAt(labelled, 'spec'), labels, 'workflowMetadata') };
}

function standaloneForm(
  { object, name }: Manifest,
  path: ExperimentsPath,
  { ids, weights, ...book }: StoredContext,
): StoredForm {
  checkExperiments(object, path, name);
  const fault = textAt(experimentsAt(object, path)[0] as Json, 'name');
  const { references, made, edits } = adoptEngine(object, path, book);
  const label = objectAt(objectAt(object, 'metadata'), 'labels').weight;
  const weight = weightOf(fault, label, weights);
  const labels = { ...standaloneLabels(ids), weight: String(weight) };
  return {
    object: withLabels(editedObject(object, edits), labels),
    faults: [{ name: fault, weight, artifact: '', template: '', probes: references }],
    made,
  };
}

/** Default weight of a fault. */
const DEFAULT_WEIGHT = 10;

/** Weights in a request, by the name of their fault. */
type GivenWeights = ReadonlyMap<string, number>;

/**
 * Weight of a fault in the score of its runs: that of the request, else that of the label, else 10. Pure.
 *
 * @throws ManifestError for a label that is no whole number, or less than 0
 */
function weightOf(fault: string, label: unknown, given: GivenWeights): number {
  const weight = given.get(fault) ?? fromLabel(label);
  if (!Number.isSafeInteger(weight) || weight < 0) throw new ManifestError('failed to convert');
  return weight;
}

function fromLabel(label: unknown): number {
  if (label === undefined || label === null || label === '') return DEFAULT_WEIGHT;
  const text = String(label);
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
