import { isRefusal } from '@turnsole/kube/apply/refusal';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import {
  CLUSTER_WORKFLOW_TEMPLATES,
  CRON_WORKFLOWS,
  WORKFLOW_TEMPLATES,
  WORKFLOWS,
} from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import { CommandError } from '../errors.ts';
import { clusterLibrary } from './cluster-library.ts';
import { workflowProblems } from './manifest-problems.ts';
import { type NewWorkflow, type SubmitSource, workflowOfSource } from './submission.ts';
import { nameOf } from './template-library.ts';

const RESOURCES = {
  WorkflowTemplate: WORKFLOW_TEMPLATES,
  ClusterWorkflowTemplate: CLUSTER_WORKFLOW_TEMPLATES,
  CronWorkflow: CRON_WORKFLOWS,
} as const;

/**
 * What `--from` names, and the Workflow manifest that it stands for.
 *
 * @throws CommandError (bad input) when it is not there
 */
export async function findSource(
  client: KubeClient,
  { kind, name }: SubmitSource,
  namespace: string,
): Promise<{ readonly source: KubeObject; readonly manifest: KubeObject & { readonly spec?: unknown } }> {
  const resource = RESOURCES[kind];
  const place = resource.namespaced ? { namespace } : {};
  const found = await client.find<KubeObject>(resource, name, place);
  if (found === undefined) {
    const where = resource.namespaced ? ` in namespace ${namespace}` : '';
    throw new CommandError(`cannot submit from ${kind} ${name}: there is none${where}`, 'NOT_FOUND');
  }
  const source = { ...found, kind };
  return { source, manifest: workflowOfSource(source) };
}

/** How Workflows are created. */
interface CreateOptions {
  readonly client: KubeClient;
  /** @default false: the server stores it */
  readonly serverDryRun?: boolean;
}

/**
 * Creates a Workflow of which nothing is known to be wrong.
 *
 * @throws CommandError (bad input) with everything that validation or the server has against it
 */
export async function createWorkflow(
  workflow: NewWorkflow,
  { client, serverDryRun = false }: CreateOptions,
): Promise<Workflow> {
  const namespace = workflow.metadata.namespace ?? '';
  refuseInvalid(workflow, await clusterLibrary({ client, namespace }));
  try {
    const object = workflow as NewObject<Workflow>;
    return await client.create<Workflow>(WORKFLOWS, object, { namespace, dryRun: serverDryRun });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const why = error.status.message ?? error.message;
    throw new CommandError(`the cluster refuses ${titleOf(workflow)}: ${why}`, 'WORKFLOW_REFUSED', {
      cause: error,
    });
  }
}

/** @throws CommandError (bad input) with everything that validation has against it */
function refuseInvalid(workflow: NewWorkflow, library: TemplateLibrary): void {
  const problems = workflowProblems(workflow as KubeObject, library);
  if (problems.length === 0) return;
  const lines = problems.map(({ path, text }) => `${titleOf(workflow)}: ${path}: ${text}`);
  throw new CommandError(lines.join('\n'), 'WORKFLOW_REFUSED');
}

function titleOf(workflow: NewWorkflow): string {
  return `Workflow ${workflow.metadata.namespace ?? ''}/${nameOf(workflow as KubeObject)}`;
}
