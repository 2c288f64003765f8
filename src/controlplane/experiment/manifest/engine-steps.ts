import { isObject, type Json, listAt, objectAt, textAt } from '@turnsole/kube/text/json';
import { checkExperiments, IN_ENGINE } from './engine-part.ts';
import { type EngineText, readEngineText } from './engine-text.ts';
import { ManifestError } from './manifest-error.ts';
import type { Manifest } from './read-manifest.ts';

/** A template of a workflow that creates an engine. */
export interface EngineStep {
  /** Index of the template. */
  readonly index: number;
  readonly template: string;
  /** Value of the template's label `weight`; undefined if it has none. */
  readonly weight: unknown;
  /** Index of the artifact with the engine, and its name. */
  readonly artifact: number;
  readonly artifactName: string;
  readonly engine: EngineText;
  /** `metadata.generateName` of the engine: the name of the fault. */
  readonly fault: string;
}

/**
 * The steps of a workflow that create engines, in the order of their templates. Empty for engines and schedules.
 *
 * @throws ManifestError for an engine that cannot be a step
 */
export function engineSteps(manifest: Manifest): EngineStep[] {
  return templatesOf(manifest).flatMap((template, index) => {
    const found = engineIn(template);
    if (found === undefined) return [];
    checkEngine(found.engine.object);
    const metadata = objectAt(found.engine.object, 'metadata');
    const labels = objectAt(objectAt(template, 'metadata'), 'labels');
    return [
      {
        ...found,
        index,
        template: textAt(template, 'name'),
        weight: labels.weight,
        fault: textAt(metadata, 'generateName'),
      },
    ];
  });
}

/** The first raw artifact with an engine. */
function engineIn(template: Json): Pick<EngineStep, 'artifact' | 'artifactName' | 'engine'> | undefined {
  for (const [artifact, found] of artifactsOf(template).entries()) {
    const engine = readEngineText(textAt(objectAt(found, 'raw'), 'data'));
    if (engine !== undefined) return { artifact, artifactName: textAt(found, 'name'), engine };
  }
  return undefined;
}

function checkEngine(engine: Json): void {
  const metadata = objectAt(engine, 'metadata');
  if (textAt(metadata, 'generateName') === '') throw new ManifestError('empty chaos experiment name');
  checkExperiments(engine, IN_ENGINE, textAt(metadata, 'generateName'));
}

function artifactsOf(template: Json): Json[] {
  return listAt(objectAt(template, 'inputs'), 'artifacts').map((one) => (isObject(one) ? one : {}));
}

function templatesOf(manifest: Manifest): Json[] {
  return listAt(workflowSpecOf(manifest), 'templates').map((one) => (isObject(one) ? one : {}));
}

function workflowSpecOf({ kind, object }: Manifest): Json {
  const spec = objectAt(object, 'spec');
  if (kind === 'Workflow') return spec;
  return kind === 'CronWorkflow' ? objectAt(spec, 'workflowSpec') : {};
}

/** Changes of a step: the text of its engine, or labels of its template. */
interface StepChange {
  readonly data?: string;
  readonly weight?: string;
}

/** The manifest's object with changed steps; templates without an engine stay as they are. Pure. */
export function withSteps(manifest: Manifest, changes: ReadonlyMap<EngineStep, StepChange>): Json {
  if (changes.size === 0) return manifest.object;
  const byIndex = new Map([...changes].map(([step, change]) => [step.index, { step, change }]));
  const { kind, object } = manifest;
  const spec = workflowSpecOf(manifest);
  const templates = listAt(spec, 'templates').map((template, index) => {
    const found = byIndex.get(index);
    return found === undefined ? template : changedTemplate(template as Json, found.step, found.change);
  });
  const changed = { ...spec, templates };
  const outer = kind === 'Workflow' ? changed : { ...objectAt(object, 'spec'), workflowSpec: changed };
  return { ...object, spec: outer };
}

function changedTemplate(template: Json, step: EngineStep, { data, weight }: StepChange): Json {
  const metadata = objectAt(template, 'metadata');
  const labels = { ...objectAt(metadata, 'labels'), weight };
  const weighed = weight === undefined ? template : { ...template, metadata: { ...metadata, labels } };
  if (data === undefined) return weighed;
  const inputs = objectAt(template, 'inputs');
  const artifacts = artifactsOf(template).map((artifact, index) =>
    index === step.artifact ? { ...artifact, raw: { ...objectAt(artifact, 'raw'), data } } : artifact,
  );
  return { ...weighed, inputs: { ...inputs, artifacts } };
}
