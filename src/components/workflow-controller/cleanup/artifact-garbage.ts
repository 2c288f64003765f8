import { isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import {
  Controller,
  fromMapped,
  fromObjects,
  type Reconcile,
  type ReconcileResult,
} from '@turnsole/kube/runtime/controller';
import { hasFinalizer, isBeingDeleted, removeFinalizer } from '@turnsole/kube/runtime/finalizers';
import { Informer } from '@turnsole/kube/runtime/index';
import { parseTime } from '@turnsole/kube/text/time';
import { ArtifactError } from '@turnsole/workflows/artifacts/artifact-error';
import {
  ARTIFACT_GC_FINALIZER,
  decideGarbage,
  type GarbageBatch,
  isThere,
} from '@turnsole/workflows/artifacts/garbage';
import { readOutcome } from '@turnsole/workflows/artifacts/garbage-outcome';
import type { ArtifactRepository } from '@turnsole/workflows/artifacts/repository';
import { globalNames } from '@turnsole/workflows/engine/substitution/globals';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import { LABEL_COMPONENT } from '@turnsole/workflows/kinds/labels';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { garbageLocation } from '@turnsole/workflows/pods/garbage-location';
import { ARTIFACT_GC_COMPONENT, garbagePod } from '@turnsole/workflows/pods/garbage-pod';
import { PodError } from '@turnsole/workflows/pods/pod-error';
import type { PodSettings } from '@turnsole/workflows/pods/settings';
import { workflowKey } from '../pod-source.ts';
import { isTransient, refusalText } from '../refusals.ts';
import type { Repositories } from '../repositories.ts';
import { type Nodes, storedNodes } from '../stored-nodes.ts';
import { deleteObject } from './delete-object.ts';
import { type Collected, recordPatch } from './garbage-record.ts';

/** A pod that has not come to its end after so long, because of its image or of the cluster, has failed. */
const LIMIT_MS = 15 * 60_000;
const WORKERS = 2;

interface ArtifactGarbageOptions extends BasicsWithRandom {
  /** Empty for all. */
  readonly namespace: string;
  readonly workflows: Informer<Workflow>;
  readonly repositories: Repositories;
  readonly pods: () => Pick<PodSettings, 'helper'>;
}

/** A stored workflow, with the facts that its artifacts need. */
interface Stored {
  readonly workflow: Workflow;
  readonly spec: WorkflowSpec;
  readonly nodes: Nodes;
}

/**
 * Deletes artifacts of workflows that ask for it (`artifactGC`): a pod with the credentials of their store deletes them, and its
 * termination message lists those that are left. A finalizer keeps the workflow until then.
 */
export class ArtifactGarbage {
  readonly #options: ArtifactGarbageOptions;
  readonly #pods: Informer<Pod>;
  readonly #controller: Controller;

  constructor(options: ArtifactGarbageOptions) {
    this.#options = options;
    const { namespace, workflows } = options;
    this.#pods = new Informer<Pod>({
      ...options,
      resource: PODS,
      namespace: namespace === '' ? undefined : namespace,
      labelSelector: `${LABEL_COMPONENT}=${ARTIFACT_GC_COMPONENT}`,
    });
    this.#controller = new Controller({
      ...options,
      name: 'workflow-artifact-gc',
      reconcile: this.#reconcile,
      sources: [
        fromObjects(workflows, isConcerned),
        fromMapped(this.#pods, (pod) => (isFinished(pod) ? [workflowKey(pod)] : [])),
      ],
      workers: WORKERS,
    });
  }

  async start(signal?: AbortSignal): Promise<void> {
    this.#pods.start();
    await this.#controller.start(signal);
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
    await this.#pods.stop();
  }

  readonly #reconcile: Reconcile = async ({ key }, signal) => {
    const { client, workflows, logger } = this.#options;
    const seen = workflows.lister.get(key);
    if (seen === undefined || !isConcerned(seen)) return undefined;
    const { name, namespace = '', uid } = seen.metadata;
    // The copy has no nodes.
    const workflow = await client.find<Workflow>(WORKFLOWS, name, { namespace, signal });
    if (workflow === undefined || workflow.metadata.uid !== uid) return undefined;
    const stored = storedOf(workflow);
    const step = decideGarbage(workflow, stored.spec, stored.nodes, isCompleted(workflow));
    switch (step.kind) {
      case 'rest':
        return undefined;
      case 'terminate':
        await this.#patch(workflow, { spec: { shutdown: 'Terminate' } }, signal);
        return undefined;
      case 'release':
        if (step.left > 0)
          logger.warn({ workflow: key, artifacts: step.left }, 'a workflow goes, and artifacts of it stay');
        await removeFinalizer(client, WORKFLOWS, workflow, ARTIFACT_GC_FINALIZER, { signal });
        return undefined;
      case 'delete':
        return await this.#collect(stored, step.batches, signal);
    }
  };

  /** One batch is recorded at a time: the watch reports the write, and what is stored by then decides what follows. */
  async #collect(
    stored: Stored,
    batches: readonly GarbageBatch[],
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    let waitMs = LIMIT_MS;
    for (const batch of batches) {
      const left = await this.#collectBatch(stored, batch, signal);
      if (left === undefined) return undefined;
      waitMs = Math.min(waitMs, left);
    }
    return { requeueAfterMs: waitMs };
  }

  /** How long its pod may still take; undefined when the batch is recorded, or its workflow let go. */
  async #collectBatch(stored: Stored, batch: GarbageBatch, signal: AbortSignal): Promise<number | undefined> {
    const { client, clock } = this.#options;
    const { namespace = '' } = stored.workflow.metadata;
    const open = batch.garbage.filter(isThere);
    const places = await this.#places(stored, signal);
    const found = open.map((garbage) => {
      const node = stored.nodes[garbage.node];
      const target = node === undefined ? 'its node is gone' : places(garbage.artifact, node);
      return { garbage, target };
    });
    const targets = found.flatMap(({ target }) => (typeof target === 'string' ? [] : [target]));
    let pod = await client.find<Pod>(PODS, batch.podName, { namespace, signal });
    let refusal: string | undefined;
    if (pod === undefined && targets.length > 0) {
      try {
        pod = await client.create<Pod>(PODS, this.#podOf(stored, batch, targets), { namespace, signal });
      } catch (error) {
        if (isNamespaceGoing(error)) {
          await removeFinalizer(client, WORKFLOWS, stored.workflow, ARTIFACT_GC_FINALIZER, { signal });
          return undefined;
        }
        if (!(error instanceof PodError) && isTransient(error)) throw error;
        refusal = `the pod ${batch.podName} cannot be made: ${refusalText(error)}`;
      }
    }
    if (pod !== undefined && !isFinished(pod)) {
      const left = (parseTime(pod.metadata.creationTimestamp) ?? clock.now()) + LIMIT_MS - clock.now();
      if (left > 0) return left;
    }
    const outcome = pod && outcomeOf(pod, targets.length);
    let index = 0;
    const collected = found.map(({ garbage, target }): Collected => {
      if (typeof target === 'string') return { garbage, problem: target };
      const problem = refusal ?? outcome?.[index] ?? undefined;
      index += 1;
      return { garbage, problem };
    });
    await this.#record(stored, batch, collected, signal);
    // A pod that failed stays for its log as long as its workflow; one that has no owner would stay for good.
    const staysForLog = pod?.status?.phase === 'Failed' && (pod.metadata.ownerReferences ?? []).length > 0;
    if (pod !== undefined && !staysForLog) await deleteObject(client, PODS, pod, { signal });
    return undefined;
  }

  async #record(
    { workflow, nodes }: Stored,
    batch: GarbageBatch,
    collected: readonly Collected[],
    signal: AbortSignal,
  ): Promise<void> {
    const failed = collected.filter(({ problem }) => problem !== undefined).length;
    await this.#patch(workflow, recordPatch(workflow, nodes, batch, collected), signal);
    const where = { workflow: workflow.metadata.name, namespace: workflow.metadata.namespace };
    const facts = { ...where, pod: batch.podName, deleted: collected.length - failed, failed };
    if (failed > 0) this.#options.logger.warn(facts, 'artifacts of a workflow cannot be deleted');
    else this.#options.logger.info(facts, 'artifacts of a workflow are deleted');
  }

  async #places(
    { workflow, spec }: Stored,
    signal: AbortSignal,
  ): Promise<(artifact: Artifact, node: Nodes[string]) => Artifact | string> {
    let repository: ArtifactRepository | undefined;
    try {
      repository = (await this.#options.repositories.of(workflow, spec, signal))?.repository;
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      const { message } = error;
      return () => message;
    }
    const { storedTemplates = {} } = workflow.status ?? {};
    return (artifact, node) => garbageLocation(artifact, node, { spec, storedTemplates, repository });
  }

  /** @throws PodError */
  #podOf({ workflow, spec }: Stored, batch: GarbageBatch, targets: readonly Artifact[]): Pod {
    const now = this.#options.clock.now();
    const names = globalNames({ workflow, spec }, { phase: workflow.status?.phase ?? '' }, now);
    return garbagePod({ workflow, spec, names, now }, batch, targets, this.#options.pods());
  }

  async #patch({ metadata }: Workflow, patch: object, signal: AbortSignal): Promise<void> {
    const { name, namespace = '' } = metadata;
    await this.#options.client.patch<Workflow>(WORKFLOWS, name, 'merge', patch, { namespace, signal });
  }
}

/** Whether artifacts may have to be deleted or the finalizer removed: both happen when a workflow has ended and when it is deleted. */
function isConcerned(workflow: Workflow): boolean {
  if (!hasFinalizer(workflow, ARTIFACT_GC_FINALIZER)) return false;
  return isCompleted(workflow) || isBeingDeleted(workflow);
}

function storedOf(workflow: Workflow): Stored {
  const spec = { ...workflow.status?.storedWorkflowTemplateSpec, ...workflow.spec };
  return { workflow, spec, nodes: storedNodes(workflow.status) };
}

/** Why each remaining artifact is still there. A failed pod without a report has deleted none of its artifacts. */
function outcomeOf({ metadata, status }: Pod, count: number): readonly (string | null)[] {
  if (status?.phase === 'Succeeded') return Array.from({ length: count }, () => null);
  const terminated = status?.containerStatuses?.[0]?.state?.terminated;
  const outcome = readOutcome(terminated?.message ?? '', count);
  if (outcome !== undefined) return outcome;
  const waiting = status?.containerStatuses?.[0]?.state?.waiting;
  const why =
    terminated?.message || status?.message || waiting?.message || terminated?.reason || status?.reason;
  const text = `the pod ${metadata.name} is ${status?.phase ?? 'Pending'}${why === undefined ? '' : `: ${why}`}`;
  return Array.from({ length: count }, () => text);
}
