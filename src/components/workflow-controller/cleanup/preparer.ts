import { isAlreadyExists, isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import {
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  type Resource,
} from '@turnsole/kube/kinds/resources';
import { controllerOf } from '@turnsole/kube/runtime/index';
import { globalNames } from '@turnsole/workflows/engine/substitution/globals';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { ownerReference } from '@turnsole/workflows/kinds/owner-reference';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import type { Prepared } from '../ports.ts';
import { isTransient, refusalText } from '../refusals.ts';
import { claimsOf } from './claims.ts';

/**
 * Makes claims and the disruption budget of a workflow before its first pod. What is there already and its own is as good: it is called
 * again after a crash.
 */
export class ObjectsPreparer {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async prepare(workflow: Workflow, spec: WorkflowSpec, signal: AbortSignal): Promise<Prepared> {
    const names = globalNames({ workflow, spec }, { phase: '' }, 0);
    const claims = claimsOf(workflow, spec, names);
    const budget = disruptionBudgetOf(workflow, spec);
    for (const { object } of claims) {
      const problem = await this.#create(PERSISTENT_VOLUME_CLAIMS, object, workflow, signal);
      if (problem !== undefined) return problem;
    }
    if (budget !== undefined) {
      const problem = await this.#create(POD_DISRUPTION_BUDGETS, budget, workflow, signal);
      if (problem !== undefined) return problem;
    }
    if (claims.length === 0) return { kind: 'ready' };
    return { kind: 'ready', status: { persistentVolumeClaims: claims.map(({ volume }) => volume) } };
  }

  /** Undefined when the object is there. */
  async #create(
    resource: Resource,
    object: KubeObject,
    workflow: Workflow,
    signal: AbortSignal,
  ): Promise<Prepared | undefined> {
    const { name, namespace } = object.metadata;
    const place = { namespace, signal };
    const what = `${resource.kind} ${name}`;
    try {
      await this.#client.create(resource, object, place);
      return undefined;
    } catch (error) {
      if (!isAlreadyExists(error)) {
        const message = `cannot create ${what}: ${refusalText(error)}`;
        return { kind: isTransient(error) ? 'waiting' : 'failed', message };
      }
    }
    let present: KubeObject | undefined;
    try {
      present = await this.#client.find<KubeObject>(resource, name, place);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const message = `${what} is there already, and whose it is may not be read: ${refusalText(error)}`;
      return { kind: 'failed', message };
    }
    if (present === undefined) return { kind: 'waiting', message: `${what} is being replaced` };
    if (controllerOf(present)?.uid === workflow.metadata.uid) {
      const isGoing = present.metadata.deletionTimestamp !== undefined;
      return isGoing ? { kind: 'waiting', message: `an earlier ${what} is still going` } : undefined;
    }
    return {
      kind: 'failed',
      message: `${what} is there already and is not of this workflow: delete it, or rename the workflow`,
    };
  }
}

/** The PodDisruptionBudget of a workflow: named like it, for all of its pods. Undefined where it asks for none. Pure. */
export function disruptionBudgetOf(
  workflow: Workflow,
  { podDisruptionBudget }: Pick<WorkflowSpec, 'podDisruptionBudget'>,
): (KubeObject & { readonly spec: unknown }) | undefined {
  if (podDisruptionBudget === undefined) return undefined;
  const { name, namespace } = workflow.metadata;
  const labels = { [LABEL_WORKFLOW]: name };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, labels, ownerReferences: [ownerReference('Workflow', workflow)] },
    spec: { ...podDisruptionBudget, selector: { matchLabels: labels } },
  };
}
