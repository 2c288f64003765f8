import { isForbidden } from '@turnsole/kube/client/errors';
import type { DeleteOptions } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import {
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  type Resource,
} from '@turnsole/kube/kinds/resources';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import {
  Controller,
  type ControllerMetrics,
  fromObjects,
  type Reconcile,
} from '@turnsole/kube/runtime/controller';
import { isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import { controllerOf, type Informer } from '@turnsole/kube/runtime/index';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { claimsGo } from './claims.ts';
import { cleanupSpecOf } from './completed.ts';
import { deleteObject } from './delete-object.ts';
import { expiryOf } from './expiry.ts';

/** A deletion that was refused because the workflow has changed is tried again after this time, or when the watch reports the change. */
const CHANGED_RETRY_MS = 1_000;

interface CompletedWorkflowsOptions extends BasicsWithRandom {
  readonly workflows: Informer<Workflow>;
  /** How objects that a workflow owns are deleted with it. @default the server's: in the background */
  readonly propagationPolicy?: DeleteOptions['propagationPolicy'] | undefined;
  /** @default 4 */
  readonly workers?: number | undefined;
  readonly metrics?: ControllerMetrics | undefined;
}

/** What follows the end of a workflow: its claims and its disruption budget go, and after its time to live itself. */
export class CompletedWorkflows {
  readonly #options: CompletedWorkflowsOptions;
  readonly #controller: Controller;
  /** Uids of workflows whose budgets are gone. */
  readonly #withoutBudget = new Set<string>();
  readonly #forget: () => void;

  constructor(options: CompletedWorkflowsOptions) {
    this.#options = options;
    const { workflows } = options;
    this.#forget = workflows.addHandler({
      onDelete: ({ metadata }) => this.#withoutBudget.delete(metadata.uid ?? ''),
    });
    this.#controller = new Controller({
      ...options,
      name: 'workflow-ttl',
      reconcile: this.#reconcile,
      sources: [fromObjects(workflows, isCompleted)],
    });
  }

  async start(signal?: AbortSignal): Promise<void> {
    await this.#controller.start(signal);
  }

  async stop(): Promise<void> {
    this.#forget();
    await this.#controller.stop();
  }

  readonly #reconcile: Reconcile = async ({ key }, signal) => {
    const { workflows, clock, client, logger, propagationPolicy } = this.#options;
    const workflow = workflows.lister.get(key);
    if (workflow === undefined || !isCompleted(workflow) || isBeingDeleted(workflow)) return undefined;
    await this.#deleteClaims(workflow, signal);
    await this.#deleteBudget(workflow, signal);
    const expiry = expiryOf(cleanupSpecOf(workflow).ttlStrategy, workflow.status);
    if (expiry === undefined) return undefined;
    const waitMs = expiry - clock.now();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const how = { signal, onlyAsSeen: true, propagationPolicy };
    const isGone = await deleteObject(client, WORKFLOWS, workflow, how);
    if (!isGone) return { requeueAfterMs: CHANGED_RETRY_MS };
    logger.info({ workflow: key }, 'a workflow has outlived its time and is deleted');
    return undefined;
  };

  async #deleteClaims(workflow: Workflow, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { persistentVolumeClaims = [], phase } = workflow.status ?? {};
    const { strategy } = cleanupSpecOf(workflow).volumeClaimGC ?? {};
    if (persistentVolumeClaims.length === 0 || !claimsGo(strategy, phase)) return;
    const { name, namespace = '', resourceVersion } = workflow.metadata;
    for (const { persistentVolumeClaim } of persistentVolumeClaims) {
      if (persistentVolumeClaim === undefined) continue;
      const claimName = persistentVolumeClaim.claimName;
      await this.#deleteOwn(PERSISTENT_VOLUME_CLAIMS, claimName, workflow, signal);
    }
    const patch = { metadata: { resourceVersion }, status: { persistentVolumeClaims: null } };
    await client.patch<Workflow>(WORKFLOWS, name, 'merge', patch, { namespace, signal });
  }

  /** Deletes the workflow's object of this name. If the role may delete but not read, as LitmusChaos has it, the name alone decides. */
  async #deleteOwn(resource: Resource, name: string, workflow: Workflow, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { namespace = '' } = workflow.metadata;
    let object: KubeObject | undefined = { metadata: { name, namespace } };
    try {
      object = await client.find<KubeObject>(resource, name, { namespace, signal });
      if (object !== undefined && controllerOf(object)?.uid !== workflow.metadata.uid) return;
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
    if (object !== undefined) await deleteObject(client, resource, object, { signal });
  }

  async #deleteBudget(workflow: Workflow, signal: AbortSignal): Promise<void> {
    const { name, uid = '' } = workflow.metadata;
    if (cleanupSpecOf(workflow).podDisruptionBudget === undefined || this.#withoutBudget.has(uid)) return;
    await this.#deleteOwn(POD_DISRUPTION_BUDGETS, name, workflow, signal);
    this.#withoutBudget.add(uid);
  }
}
