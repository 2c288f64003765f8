import type { KubeObject, ObjectMeta } from '@turnsole/kube/kinds/core';
import {
  LABEL_CLUSTER_WORKFLOW_TEMPLATE,
  LABEL_CRON_WORKFLOW,
  LABEL_INSTANCE_ID,
  LABEL_WORKFLOW_TEMPLATE,
} from '@turnsole/workflows/kinds/labels';
import { ownerReference } from '@turnsole/workflows/kinds/owner-reference';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';
import { type ParameterValues, withParameters } from './parameters.ts';

/** What a user says beside the manifest. Absent: as the manifest has it. */
export interface SubmitSettings {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly entrypoint?: string;
  readonly serviceAccount?: string;
  readonly priority?: number;
  readonly podPriorityClassName?: string;
  readonly instanceId?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly parameters: ParameterValues;
}

/** A Workflow that is to be created: the server may draw its name. */
export type NewWorkflow = Omit<Workflow, 'metadata'> & {
  readonly metadata: Omit<Partial<ObjectMeta>, 'name'> &
    ({ name: string } | { name?: undefined; generateName: string });
};

/** A Workflow manifest with the settings of the command line laid over it. Fields that are unknown here stay as they were read. Pure. */
export function submissionOf(
  manifest: KubeObject & { readonly spec?: unknown },
  settings: SubmitSettings,
): NewWorkflow {
  const { metadata, spec, ...rest } = manifest as Workflow;
  const { name: _, generateName: __, ...meta } = metadata;
  const { labels, annotations, instanceId, namespace } = settings;
  const allLabels = {
    ...metadata.labels,
    ...labels,
    ...(instanceId !== undefined && { [LABEL_INSTANCE_ID]: instanceId }),
  };
  const allAnnotations = { ...metadata.annotations, ...annotations };
  return {
    ...rest,
    metadata: {
      ...meta,
      ...namesOf(metadata, settings),
      ...(namespace !== undefined && { namespace }),
      ...(Object.keys(allLabels).length > 0 && { labels: allLabels }),
      ...(Object.keys(allAnnotations).length > 0 && { annotations: allAnnotations }),
    },
    spec: withSettings(spec ?? {}, settings),
  };
}

function namesOf(
  { name, generateName }: ObjectMeta,
  settings: SubmitSettings,
): { name: string } | { generateName: string } {
  if (settings.name !== undefined) return { name: settings.name };
  if (settings.generateName !== undefined) return { generateName: settings.generateName };
  // Loading accepts a manifest with one of them only.
  return name === undefined ? { generateName: generateName ?? '' } : { name };
}

function withSettings(spec: WorkflowSpec, settings: SubmitSettings): WorkflowSpec {
  const { entrypoint, serviceAccount, priority, podPriorityClassName, parameters } = settings;
  const args = withParameters(spec.arguments, parameters);
  return {
    ...spec,
    ...(args !== undefined && { arguments: args }),
    ...(entrypoint !== undefined && { entrypoint }),
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    ...(priority !== undefined && { priority }),
    ...(podPriorityClassName !== undefined && { podPriorityClassName }),
  };
}

/** What `--from` names. */
export interface SubmitSource {
  readonly kind: 'WorkflowTemplate' | 'ClusterWorkflowTemplate' | 'CronWorkflow';
  readonly name: string;
}

const SOURCES: Readonly<Record<string, SubmitSource['kind']>> = {
  workflowtemplate: 'WorkflowTemplate',
  workflowtemplates: 'WorkflowTemplate',
  wftmpl: 'WorkflowTemplate',
  clusterworkflowtemplate: 'ClusterWorkflowTemplate',
  clusterworkflowtemplates: 'ClusterWorkflowTemplate',
  clusterwftmpl: 'ClusterWorkflowTemplate',
  cwft: 'ClusterWorkflowTemplate',
  cronworkflow: 'CronWorkflow',
  cronworkflows: 'CronWorkflow',
  cronwf: 'CronWorkflow',
  cwf: 'CronWorkflow',
};

/** Reads `workflowtemplate/hello` and the like. Pure. */
export function parseSource(text: string): SubmitSource {
  const [word = '', name = '', ...further] = text.split('/');
  const kind = Object.hasOwn(SOURCES, word.toLowerCase()) ? SOURCES[word.toLowerCase()] : undefined;
  if (kind !== undefined && name !== '' && further.length === 0) return { kind, name };
  throw new CommandError(
    `--from: expected workflowtemplate/NAME, clusterworkflowtemplate/NAME or cronwf/NAME, found ${JSON.stringify(text)}`,
    'OPTION_INVALID',
  );
}

/** The Workflow manifest that a template or a CronWorkflow stands for, to be submitted now. Pure. */
export function workflowOfSource(
  source: KubeObject & { readonly spec?: unknown },
): KubeObject & { readonly spec?: unknown } {
  return source.kind === 'CronWorkflow' ? workflowOfCron(source) : workflowOfTemplate(source);
}

const HEAD = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' } as const;

/** It refers to the template as a whole, which the controller reads when it begins. */
function workflowOfTemplate({ kind, metadata }: KubeObject): KubeObject & { readonly spec: unknown } {
  const isOfCluster = kind === 'ClusterWorkflowTemplate';
  const label = isOfCluster ? LABEL_CLUSTER_WORKFLOW_TEMPLATE : LABEL_WORKFLOW_TEMPLATE;
  const reference = { name: metadata.name, ...(isOfCluster && { clusterScope: true }) };
  return generated(metadata.name, { labels: { [label]: metadata.name } }, { workflowTemplateRef: reference });
}

/** It has the spec of the CronWorkflow, and belongs to it as its scheduled ones do. */
function workflowOfCron(
  cron: KubeObject & { readonly spec?: unknown },
): KubeObject & { readonly spec: unknown } {
  const { name } = cron.metadata;
  // A stored object has the structure of its kind.
  const spec = (cron.spec ?? {}) as {
    readonly workflowSpec?: WorkflowSpec;
    readonly workflowMetadata?: Pick<ObjectMeta, 'labels' | 'annotations' | 'finalizers'>;
  };
  const { labels, annotations, finalizers } = spec.workflowMetadata ?? {};
  return generated(
    name,
    {
      labels: { ...labels, [LABEL_CRON_WORKFLOW]: name },
      ...(annotations !== undefined && { annotations }),
      ...(finalizers !== undefined && { finalizers }),
      ownerReferences: [ownerReference('CronWorkflow', cron)],
    },
    spec.workflowSpec ?? {},
  );
}

function generated(
  name: string,
  metadata: Partial<ObjectMeta>,
  spec: WorkflowSpec,
): KubeObject & { readonly spec: unknown } {
  // A manifest whose name the server draws.
  return { ...HEAD, metadata: { ...metadata, generateName: `${name}-` } as ObjectMeta, spec };
}
