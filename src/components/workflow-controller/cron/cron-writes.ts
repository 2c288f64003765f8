import { isAlreadyExists, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { controllerOf } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import type { CronDecision } from '@turnsole/workflows/cron/decide-cron';
import type { CronWorkflow, CronWorkflowStatus } from '@turnsole/workflows/kinds/cron-workflow';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { isTransient, refusalText } from '../refusals.ts';

/** What came of a submission. */
type Submitted =
  | { readonly kind: 'created'; readonly workflow: Workflow }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Creates the workflow of a scheduled time. One of that name that is there already and belongs to the CronWorkflow is as good: a process
 * before this one made it, and was killed before it could store that in the status.
 *
 * @throws what may be over when it is tried again
 */
export async function submit(
  client: KubeClient,
  cron: CronWorkflow,
  workflow: Workflow,
  signal: AbortSignal,
): Promise<Submitted> {
  const { name, namespace } = workflow.metadata;
  const place = { namespace, signal };
  try {
    return { kind: 'created', workflow: await client.create<Workflow>(WORKFLOWS, workflow, place) };
  } catch (error) {
    if (!isAlreadyExists(error)) return refused(error);
  }
  const found = await client.find<Workflow>(WORKFLOWS, name, place);
  if (found !== undefined && controllerOf(found)?.uid === cron.metadata.uid)
    return { kind: 'created', workflow: found };
  const reason = `a workflow ${name} exists already, and is none of this CronWorkflow: delete or rename it`;
  return { kind: 'refused', reason };
}

function refused(error: unknown): Submitted {
  if (isTransient(error)) throw error;
  return { kind: 'refused', reason: refusalText(error) };
}

/** Ends a workflow that another one replaces. One that is gone is as good. */
export async function terminate(
  client: KubeClient,
  namespace: string | undefined,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.patch(WORKFLOWS, name, 'merge', { spec: { shutdown: 'Terminate' } }, { namespace, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * The merge patch that brings a CronWorkflow to what was decided; undefined where it is there already. It names the version, so that it
 * fails if a client has changed the object since. Pure.
 */
export function statusPatch(
  { metadata, status: before = {} }: CronWorkflow,
  { labels, annotations }: Pick<CronDecision, 'labels' | 'annotations'>,
  status: CronWorkflowStatus,
): Record<string, unknown> | undefined {
  const newLabels = differing(metadata.labels, labels);
  const newAnnotations = differing(metadata.annotations, annotations);
  const isSame = equivalentJson(before, status);
  if (isSame && newLabels === undefined && newAnnotations === undefined) return undefined;
  const dropped = Object.keys(before).filter(
    (key) => !(key in status) || status[key as keyof CronWorkflowStatus] === undefined,
  );
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      uid: metadata.uid,
      ...(newLabels && { labels: newLabels }),
      ...(newAnnotations && { annotations: newAnnotations }),
    },
    ...(!isSame && { status: { ...status, ...Object.fromEntries(dropped.map((key) => [key, null])) } }),
  };
}

function differing(
  present: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const changed = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
