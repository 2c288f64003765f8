import { type KubeObject, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import { Controller, type ControllerMetrics, type Reconcile } from '@turnsole/kube/runtime/controller';
import { isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import { controllerOf, type Informer, type Source } from '@turnsole/kube/runtime/index';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import { LABEL_COMPLETED, LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { cleanupSpecOf } from './completed.ts';
import { deleteObject } from './delete-object.ts';
import { podGcOrderOf, podGcTime, waitsForWorkflow } from './pod-gc.ts';

/** Keys of the queue: `pod <key>` and `workflow <key>`. */
const POD = 'pod ';
const WORKFLOW = 'workflow ';

interface PodGarbageOptions extends BasicsWithRandom {
  /** Empty for all. */
  readonly namespace: string;
  readonly workflows: Informer<Workflow>;
  /** Pods whose node's end is not stored yet. A pod leaves the set when it is stored, or the pod is gone. */
  readonly pods: Informer<Pod>;
  readonly gracePeriodSeconds: () => number | undefined;
  /** @default 4 */
  readonly workers?: number | undefined;
  readonly metrics?: ControllerMetrics | undefined;
}

/**
 * Deletes the pods of nodes as `podGC` says.
 *
 * It learns of a pod when its node has been recorded, of the pods of a workflow when that ends, and after a start of all recorded pods
 * that have an order. It keeps the times of deletions in memory; after a restart it computes them again.
 */
export class PodGarbage {
  readonly #options: PodGarbageOptions;
  readonly #controller: Controller;
  readonly #pods = new Map<string, { readonly pod: Pod; readonly at: number }>();
  readonly #stop = new AbortController();

  constructor(options: PodGarbageOptions) {
    this.#options = options;
    this.#controller = new Controller({
      ...options,
      name: 'workflow-pods',
      reconcile: this.#reconcile,
      sources: [this.#recordedPods(), this.#endedWorkflows()],
    });
  }

  async start(signal?: AbortSignal): Promise<void> {
    await this.#controller.start(signal);
    const { client, namespace } = this.#options;
    const selector = `${LABEL_WORKFLOW},${LABEL_COMPLETED}=true`;
    const place = namespace === '' ? {} : { namespace };
    const { items } = await client.list<Pod>(PODS, {
      ...place,
      labelSelector: selector,
      limit: 500,
      signal: this.#stop.signal,
    });
    for (const pod of items) this.#schedule(pod);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the clean-up of pods is stopping'));
    await this.#controller.stop();
  }

  #recordedPods(): Source {
    const { pods } = this.#options;
    return {
      subscribe: () => pods.addHandler({ onDelete: (pod) => this.#schedule(pod) }),
      whenSynced: (signal) => pods.whenSynced(signal),
    };
  }

  #endedWorkflows(): Source {
    const { workflows } = this.#options;
    const hasOrder = (workflow: Workflow): boolean =>
      isCompleted(workflow) && waitsForWorkflow(cleanupSpecOf(workflow).podGC);
    return {
      subscribe: (enqueue) =>
        workflows.addHandler({
          onUpdate: (workflow, old) => {
            if (hasOrder(workflow) && !isCompleted(old)) enqueue(`${WORKFLOW}${objectKey(workflow)}`);
          },
        }),
      whenSynced: (signal) => workflows.whenSynced(signal),
    };
  }

  #schedule(pod: Pod): void {
    if (isBeingDeleted(pod) || podGcOrderOf(pod) === undefined) return;
    const workflow = this.#workflowOf(pod);
    const { clock } = this.#options;
    const at = workflow && podGcTime(pod, workflow, clock.now());
    if (at === undefined) return;
    const key = `${POD}${objectKey(pod)}`;
    this.#pods.set(key, { pod: namesOnly(pod), at });
    this.#controller.queue.addAfter(key, Math.max(0, at - clock.now()));
  }

  #workflowOf(pod: Pod): Workflow | undefined {
    const { namespace = '', labels } = pod.metadata;
    const workflow = this.#options.workflows.lister.get(`${namespace}/${labels?.[LABEL_WORKFLOW]}`);
    return controllerOf(pod)?.uid === workflow?.metadata.uid ? workflow : undefined;
  }

  readonly #reconcile: Reconcile = async ({ key }, signal) => {
    const { client, clock, workflows, gracePeriodSeconds } = this.#options;
    if (key.startsWith(WORKFLOW)) {
      const workflow = workflows.lister.get(key.slice(WORKFLOW.length));
      if (workflow !== undefined && isCompleted(workflow)) await this.#scheduleAll(workflow, signal);
      return undefined;
    }
    const entry = this.#pods.get(key);
    if (entry === undefined) return undefined;
    const { pod, at } = entry;
    if (clock.now() < at) return { requeueAfterMs: at - clock.now() };
    const grace = gracePeriodSeconds();
    await deleteObject(client, PODS, pod, {
      signal,
      gracePeriodSeconds: grace,
    });
    this.#pods.delete(key);
    return undefined;
  };

  async #scheduleAll({ metadata }: Workflow, signal: AbortSignal): Promise<void> {
    const { name, namespace = '' } = metadata;
    const labelSelector = `${LABEL_WORKFLOW}=${name}`;
    const { items } = await this.#options.client.list<Pod>(PODS, {
      namespace,
      labelSelector,
      limit: 500,
      signal,
    });
    for (const pod of items) this.#schedule(pod);
  }
}

/** What a deletion needs: thousands may wait for their delay. */
function namesOnly({ metadata: { name, namespace, uid } }: KubeObject): Pod {
  return { metadata: { name, namespace, uid } };
}
