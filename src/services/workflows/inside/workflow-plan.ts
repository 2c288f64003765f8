import { decodeWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import type { ChaosEngine } from '../../../api/index.ts';
import { formatProblem } from '../../errors.ts';
import type { Manifest } from '../../manifests/load.ts';
import { checkManifests } from '../../manifests/validate.ts';
import { segmentsOf } from '../manifest-problems.ts';
import { type InnerObject, innerObjects } from './inner-objects.ts';
import { type PlannedStep, plannedSteps } from './planned-steps.ts';

/** What a workflow would do, as far as a plan can know. */
export interface WorkflowPlan {
  readonly manifest: Manifest;
  readonly namespace: string;
  readonly steps: readonly PlannedStep[];
  readonly inner: readonly InnerObject[];
  /** Engines that steps bring along, each as if it stood in the file by itself. */
  readonly engines: readonly Manifest[];
  /** Everything else that steps bring along and the engines may need. */
  readonly others: readonly Manifest[];
  readonly warnings: readonly string[];
}

const CHAOS_GROUP = 'litmuschaos.io/';

/** Sees through a workflow to what its steps bring along. Pure but for the library's look-ups. */
export function planWorkflow(
  manifest: Manifest,
  options: { readonly namespace: string; readonly library: TemplateLibrary },
): WorkflowPlan {
  const { metadata } = manifest.object;
  const namespace = metadata.namespace ?? options.namespace;
  const object = { ...manifest.object, metadata: { ...metadata, namespace } };
  const steps = plannedSteps(decodeWorkflow(object), options.library);
  const inner = innerObjects(steps);
  const looked = inner.map((one) => manifestOf(one, manifest, namespace));
  return {
    manifest,
    namespace,
    steps,
    inner,
    engines: looked.flatMap(({ manifest: found, refused }) => (isEngine(found) && !refused ? [found] : [])),
    others: looked.flatMap(({ manifest: found, refused }) => (!isEngine(found) && !refused ? [found] : [])),
    warnings: [...new Set(looked.flatMap(({ warnings }) => warnings))],
  };
}

function isEngine({ object }: Manifest): boolean {
  return object.kind === 'ChaosEngine' && object.apiVersion.startsWith(CHAOS_GROUP);
}

interface Looked {
  readonly manifest: Manifest;
  /** Whether nothing can be planned with it. */
  readonly refused: boolean;
  readonly warnings: readonly string[];
}

function manifestOf(inner: InnerObject, { file, lineOf }: Manifest, namespace: string): Looked {
  const { object, step, appliedBy, into = namespace } = inner;
  const line = lineOf(segmentsOf(inner.path));
  const known = withoutUnknown(inner);
  const { metadata } = known.object;
  const name = metadata.name ?? metadata.generateName?.replace(/-$/, '') ?? '';
  const manifest: Manifest = {
    file,
    line,
    object: { ...known.object, metadata: { ...metadata, name, namespace: metadata.namespace ?? into } },
    // Lines of the text inside are not those of the file.
    lineOf: () => line,
    ...(isEngine({ object } as Manifest) && { within: { step: step.name, source: inner.source } }),
  };
  const title = `step ${step.name}: ${object.kind} ${name} in ${inner.source}`;
  const { problems, warnings } = checkManifests([manifest]);
  const refusals = [
    ...known.refusals.map((why) => `${title} cannot be planned: ${why}`),
    ...problems.map(
      (problem) => `${title}: ${formatProblem({ ...problem, object: problem.field ?? object.kind })}`,
    ),
  ];
  const isUnapplied = appliedBy === undefined && object.apiVersion.startsWith(CHAOS_GROUP);
  return {
    manifest,
    refused: refusals.length > 0,
    warnings: [
      ...refusals,
      ...warnings.map(({ field, message }) => `${title}: ${field}: ${message}`),
      ...known.remarks.map((remark) => `${title}: ${remark}`),
      ...(isUnapplied ? [`${title}: nothing is seen in the step's command that would apply it`] : []),
    ],
  };
}

const ENV = /^spec\.experiments\[(\d+)\]\.spec\.components\.env\[(\d+)\]\.value$/;

/** An object without the values that are only known at run time, and what that means for its plan. */
function withoutUnknown({ object, unknown }: InnerObject): {
  readonly object: InnerObject['object'];
  readonly remarks: readonly string[];
  readonly refusals: readonly string[];
} {
  const copy = structuredClone(object);
  const remarks: string[] = [];
  const refusals: string[] = [];
  for (const [field, tags] of unknown) {
    const what = `${field} is only known at run time (${tags.join(', ')})`;
    if (/^metadata\.(?:labels|annotations)\./.test(field)) drop(copy, field);
    else if (field === 'metadata.name' || field === 'metadata.generateName') {
      copy.metadata = { ...copy.metadata, name: 'known-at-run-time' };
      remarks.push(what);
    } else if (ENV.test(field) && object.kind === 'ChaosEngine') {
      unset(copy as unknown as ChaosEngine, field);
      remarks.push(`${what}; planned with the default`);
    } else refusals.push(what);
  }
  return { object: copy, remarks, refusals };
}

/** Labels and annotations do not decide about targets. */
function drop({ metadata }: InnerObject['object'], field: string): void {
  const [, group, key = ''] = /^metadata\.(labels|annotations)\.(.*)$/s.exec(field) ?? [];
  const values = group === 'labels' ? metadata.labels : metadata.annotations;
  if (values !== undefined) delete values[key];
}

/** An empty value is what the experiment takes for absent. */
function unset({ spec }: ChaosEngine, field: string): void {
  const [, experiment, index] = ENV.exec(field) ?? [];
  const variable = spec.experiments[Number(experiment)]?.spec?.components?.env?.[Number(index)];
  if (variable !== undefined) Object.assign(variable, { value: '' });
}
