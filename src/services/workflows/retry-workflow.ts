import { isForbidden, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOW_TASK_RESULTS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { filesName } from '@turnsole/workflows/pods/files';
import { editWorkflow } from './edit.ts';
import { type Retry, type RetrySettings, retryOf } from './retry.ts';

/** A pod that is still ending has this long. */
const POD_TIMEOUT_MS = 120_000;

interface RetryOptions {
  readonly client: KubeClient;
  readonly nowMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Lets a workflow go on from its failures. First removes what the earlier pods left, since pods, their files and their reports have the
 * same names when nodes run again.
 *
 * @throws CommandError (bad input) when it may not be retried · WaitTimeoutError when one of its pods does not end
 */
export async function retryWorkflow(
  workflow: Workflow,
  settings: RetrySettings,
  { client, nowMs, signal }: RetryOptions,
): Promise<Retry> {
  const retry = retryOf(workflow, settings, nowMs);
  const { namespace = '' } = workflow.metadata;
  const remove = (resource: Resource, name: string): Promise<void> =>
    removeOne(client, resource, name, { namespace, signal });
  await Promise.all(
    retry.pods.map(async (pod) => {
      await remove(PODS, pod);
      await waitForObject<Pod>(client, PODS, pod, (found) => found === undefined, {
        namespace,
        timeoutMs: POD_TIMEOUT_MS,
        signal,
      });
      await remove(CONFIG_MAPS, filesName(pod));
    }),
  );
  await Promise.all(retry.removed.map((id) => remove(WORKFLOW_TASK_RESULTS, id)));
  // Its present state counts, in case a client has changed it meanwhile.
  const stored = await editWorkflow(client, workflow, (now) => retryOf(now, settings, nowMs).workflow);
  return { ...retry, workflow: stored };
}

async function removeOne(
  client: KubeClient,
  resource: Resource,
  name: string,
  place: { readonly namespace: string; readonly signal?: AbortSignal },
): Promise<void> {
  try {
    await client.delete(resource, name, { ...place, propagationPolicy: 'Background' });
  } catch (error) {
    // Clusters without reports, and users who may not remove them: a pod that reports anew overwrites its own.
    if (isNotFound(error) || (resource !== PODS && isForbidden(error))) return;
    throw error;
  }
}
