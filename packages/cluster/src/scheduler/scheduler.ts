import type { ControllerContext } from '@turnsole/kube/controllers/context';
import { ControllerBase, createController } from '@turnsole/kube/controllers/controller';
import { explain, isOutdated } from '@turnsole/kube/controllers/errors';
import { readOnly } from '@turnsole/kube/controllers/sources';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Namespace, Node, Pod } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS, PODS } from '@turnsole/kube/kinds/resources';
import { type Controller, fromObjects, type ReconcileRequest } from '@turnsole/kube/runtime/index';
import { setPodCondition } from '../controllers/shared/set-pod-condition.ts';
import type { PersistentVolumeClaim } from '../controllers/shared/types.ts';
import { decideNode } from './decide-node.ts';
import { describeMissingClaim } from './filter.ts';
import { NodePool } from './node-pool.ts';
import { WaitingPods } from './waiting-pods.ts';

/** Name pods ask for by `schedulerName`, and source of the Events. */
const SCHEDULER_NAME = 'default-scheduler';

/** Binds pods without a node to the best one, and reports the reason when none fits. */
export function schedulerController(context: ControllerContext): Controller {
  return createController(context, new Scheduler(context));
}

class Scheduler extends ControllerBase {
  readonly name = 'scheduler';
  /** Bindings under way at a time; decisions themselves are made one after the other. */
  readonly workers = 8;
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #nodes = this.context.informers.view<Node>(NODES);
  readonly #namespaces = this.context.informers.view<Namespace>(NAMESPACES);
  readonly #claims = this.context.informers.view<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
  readonly #events = this.context.eventsOf(SCHEDULER_NAME);
  // Follows before any other does: a pod that is ready again must find what has changed.
  readonly #pool = new NodePool().follow(this.#nodes.informer, this.#pods.informer);
  readonly #waiting = new WaitingPods({ nodes: this.#nodes, pods: this.#pods, claims: this.#claims });
  readonly sources = [
    fromObjects(this.#pods.informer, isToBeScheduled),
    this.#waiting,
    readOnly(this.#namespaces),
  ];

  async reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<void> {
    const pod = this.#pods.get(key);
    if (pod === undefined || !isToBeScheduled(pod) || this.#pool.isAssumed(pod)) {
      this.#waiting.delete(key);
      return;
    }
    // Before looking, so that a claim that is created meanwhile brings the pod back.
    this.#waiting.set(key, 'claims');
    const missing = await this.#missingClaim(pod, signal);
    if (missing !== undefined) {
      await this.#reportUnschedulable(pod, describeMissingClaim(missing, this.#pool.size), signal);
      return;
    }
    const namespaceLabels = (name: string) => this.#namespaces.get(name)?.metadata.labels;
    const placement = decideNode({ pod, pool: this.#pool, namespaceLabels, random: this.context.random });
    if ('node' in placement) {
      this.#waiting.delete(key);
      await this.#bind(pod, placement.node, signal);
    } else {
      this.#waiting.set(key, placement.waitsForPods ? 'pods' : 'nodes');
      await this.#reportUnschedulable(pod, placement.message, signal);
    }
  }

  /** Name of a claim of the pod that does not exist. The server has the last word: its watch may be a moment behind. */
  async #missingClaim(pod: Pod, signal: AbortSignal): Promise<string | undefined> {
    const { namespace = '' } = pod.metadata;
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      const name = persistentVolumeClaim?.claimName;
      if (name === undefined || this.#claims.get(`${namespace}/${name}`) !== undefined) continue;
      const found = await this.context.client.find(PERSISTENT_VOLUME_CLAIMS, name, { namespace, signal });
      if (found === undefined) return name;
    }
    return undefined;
  }

  async #bind(pod: Pod, node: string, signal: AbortSignal): Promise<void> {
    const { name, namespace = '', uid } = pod.metadata;
    this.#pool.assume(pod, node);
    // A Binding is sent to the pod's subresource; it is no object that is stored.
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    } as { metadata: { name: string } };
    try {
      await this.context.client.create(PODS, binding, { namespace, subresource: 'binding', signal });
    } catch (error) {
      this.#pool.forget(pod);
      // Bound by another scheduler, or gone: the watch reports it.
      if (isOutdated(error)) return;
      const message = `binding rejected: ${explain(error)}`;
      this.#events.record(PODS, pod, { type: 'Warning', reason: 'FailedScheduling', message });
      throw error;
    }
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    this.#events.record(PODS, pod, { type: 'Normal', reason: 'Scheduled', message });
  }

  async #reportUnschedulable(pod: Pod, message: string, signal: AbortSignal): Promise<void> {
    const present = findCondition(pod.status?.conditions, 'PodScheduled');
    if (present?.status === 'False' && present.message === message) return;
    this.#events.record(PODS, pod, { type: 'Warning', reason: 'FailedScheduling', message });
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await setPodCondition(this.context, pod, condition, signal);
  }
}

/** Whether the pod waits for this scheduler. */
function isToBeScheduled(pod: Pod): boolean {
  const { nodeName = '', schedulerName = SCHEDULER_NAME, schedulingGates = [] } = pod.spec ?? {};
  return nodeName === '' && schedulerName === SCHEDULER_NAME && schedulingGates.length === 0 && isActive(pod);
}
