import { isAlreadyExists, isNotFound } from '@turnsole/kube/client/errors';
import type { ConfigMap, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import type { Basics } from '@turnsole/kube/runtime/basics';
import type { Change, CreatePod } from '@turnsole/workflows/engine/change';
import { isActive } from '@turnsole/workflows/engine/node-state';
import { podSurroundings } from '@turnsole/workflows/engine/pod-surroundings';
import { ANNOTATION_NODE_ID, LABEL_COMPLETED } from '@turnsole/workflows/kinds/labels';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { NodeId } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { nodePod } from '@turnsole/workflows/pods/node-pod';
import { PodError } from '@turnsole/workflows/pods/pod-error';
import type { PodSettings } from '@turnsole/workflows/pods/settings';
import { deleteObject } from './cleanup/delete-object.ts';
import type { LiveRun } from './live-run.ts';
import { isTransient, refusalText } from './refusals.ts';
import { storedNodes } from './stored-nodes.ts';

/** Creates, ends and marks the pods of nodes. Every request may be repeated: a pod that is there already is the node's own. */
export class PodActions {
  readonly #options: Basics;

  constructor(options: Basics) {
    this.#options = options;
  }

  /** The change that a refusal means for the run; undefined when the pod exists, which the watch reports. */
  async create(
    live: LiveRun,
    action: CreatePod,
    settings: PodSettings,
    signal: AbortSignal,
  ): Promise<Extract<Change, { readonly kind: 'podRefused' }> | undefined> {
    const { node } = action;
    try {
      const { pod, objects } = this.#podOf(live, action, settings);
      for (const object of objects) await this.#putFiles(object, signal);
      const problem = await this.#createPod(live, node, pod, signal);
      return problem === undefined
        ? undefined
        : { kind: 'podRefused', node, message: problem.message, isTransient: problem.isTransient };
    } catch (error) {
      if (signal.aborted) return undefined;
      const transient = isTransient(error);
      const where = { workflow: live.key, node, pod: action.podName, detail: refusalText(error) };
      if (transient) this.#options.logger.info(where, 'the pod of a node is refused for now');
      else this.#options.logger.warn(where, 'the pod of a node is refused');
      return { kind: 'podRefused', node, message: refusalText(error), isTransient: transient };
    }
  }

  #podOf(live: LiveRun, action: CreatePod, settings: PodSettings): ReturnType<typeof nodePod> {
    const { run } = live;
    const now = this.#options.clock.now();
    const { boundary, library, names } = podSurroundings(run, action, now);
    const owner = {
      workflow: run.workflow,
      spec: run.spec,
      names,
      now,
      ...(boundary && { boundary }),
      ...(library && { library: library.spec }),
      ...(live.repository && { repository: live.repository }),
    };
    try {
      return nodePod(owner, action, settings);
    } catch (error) {
      if (error instanceof PodError || error instanceof SyntaxError) throw error;
      throw new PodError(`cannot make the pod of node ${action.node}: ${refusalText(error)}`, {
        cause: error,
      });
    }
  }

  /** An earlier attempt under the same name may have left files of other inputs. */
  async #putFiles(object: ConfigMap, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { namespace = '', name } = object.metadata;
    try {
      await client.create<ConfigMap>(CONFIG_MAPS, object, { namespace, signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { data, metadata } = object;
      const patch = { data, metadata: { ownerReferences: metadata.ownerReferences } };
      await client.patch<ConfigMap>(CONFIG_MAPS, name, 'merge', patch, { namespace, signal });
    }
  }

  async #createPod(
    live: LiveRun,
    node: NodeId,
    pod: Pod,
    signal: AbortSignal,
  ): Promise<{ readonly message: string; readonly isTransient: boolean } | undefined> {
    const { client } = this.#options;
    const { namespace = '', name } = pod.metadata;
    try {
      await client.create<Pod>(PODS, pod, { namespace, signal });
      return undefined;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const present = await client.find<Pod>(PODS, name, { namespace, signal });
      if (present === undefined) return { message: `pod ${name} is being replaced`, isTransient: true };
      if (!isOwnPod(present, node, live.uid))
        return { message: `pod ${name} is there already and is not of this workflow`, isTransient: false };
      if (present.metadata.deletionTimestamp !== undefined)
        return { message: `an earlier pod ${name} is still ending`, isTransient: true };
      if (present.metadata.labels?.[LABEL_COMPLETED] !== 'true') return undefined;
      // The label follows the write of the node's end: another controller may have been first, and the watch will report it.
      if (!(await this.#isStoredActive(live, node, signal))) return undefined;
      // A client that has a node run again leaves its old pod where it does not delete it.
      await this.delete(present, signal);
      return { message: `an earlier pod ${name} is still there`, isTransient: true };
    }
  }

  /** Whether the stored workflow, as it is now, has a node that still has to run. */
  async #isStoredActive(live: LiveRun, node: NodeId, signal: AbortSignal): Promise<boolean> {
    const { namespace = '', name } = live.run.workflow.metadata;
    const stored = await this.#options.client.find<Workflow>(WORKFLOWS, name, { namespace, signal });
    const found = storedNodes(stored?.metadata.uid === live.uid ? stored?.status : undefined)[node];
    return found !== undefined && isActive(found);
  }

  /** Ends a pod: the kubelet gives its containers SIGTERM, and SIGKILL after the grace period. Whether there was one. */
  async end(live: LiveRun, node: NodeId, podName: string, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#options;
    const { namespace = '' } = live.run.workflow.metadata;
    const pod = await client.find<Pod>(PODS, podName, { namespace, signal });
    if (pod === undefined || !isOwnPod(pod, node, live.uid)) return false;
    await this.delete(pod, signal);
    return true;
  }

  /** Deletes this very pod; that it is gone already, or another one has its name, is as good. */
  async delete(pod: Pod, signal: AbortSignal): Promise<void> {
    await deleteObject(this.#options.client, PODS, pod, { signal });
  }

  /** Marks a pod when the end of its node is stored: the controller observes it no more. */
  async markRecorded({ metadata }: Pick<Pod, 'metadata'>, signal: AbortSignal): Promise<void> {
    const { namespace = '', name } = metadata;
    const patch = { metadata: { labels: { [LABEL_COMPLETED]: 'true' } } };
    try {
      await this.#options.client.patch<Pod>(PODS, name, 'merge', patch, { namespace, signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function isOwnPod({ metadata }: Pod, node: NodeId, workflowUid: string | undefined): boolean {
  return (
    metadata.annotations?.[ANNOTATION_NODE_ID] === node &&
    (metadata.ownerReferences ?? []).some(({ uid }) => uid === workflowUid)
  );
}
