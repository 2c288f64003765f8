import { type Namespace, type Node, objectKey, type Pod } from '../../api/core.ts';
import { NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS, PODS } from '../../api/resources.ts';
import { isConflict, isNotFound } from '../../kube/client/errors.ts';
import { type Controller, fromObjects } from '../../kube/runtime/index.ts';
import { findCondition, withCondition } from '../controllers/shared/conditions.ts';
import { type ControllerContext, explain } from '../controllers/shared/context.ts';
import { createController } from '../controllers/shared/controller.ts';
import { equalJson } from '../controllers/shared/equal.ts';
import { isFinished } from '../controllers/shared/pods.ts';
import { readOnly } from '../controllers/shared/sources.ts';
import type { PersistentVolumeClaim, PodCondition } from '../controllers/shared/types.ts';
import { decideNode } from './decide-node.ts';
import { describeMissingClaim } from './filter.ts';
import { NodePool } from './node-pool.ts';

/** Name pods ask for by `schedulerName`, and source of the Events. */
const SCHEDULER_NAME = 'default-scheduler';
/** Bindings under way at a time; decisions themselves are made one after the other. */
const WORKERS = 8;

/** Binds pods that have no node to the best one, and says why where there is none. */
export function schedulerController(context: ControllerContext): Controller {
  const { informers, client, writer, clock, random } = context;
  const pods = informers.view<Pod>(PODS);
  const nodes = informers.view<Node>(NODES);
  const namespaces = informers.view<Namespace>(NAMESPACES);
  const claims = informers.view<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
  const events = context.eventsOf(SCHEDULER_NAME);
  const pool = new NodePool();
  /** Pods that cannot be placed, and the least change that may help them. */
  const waiting = new Map<string, 'nodes' | 'pods' | 'claims'>();

  const controller = createController(context, {
    name: 'scheduler',
    workers: WORKERS,
    sources: [
      fromObjects(pods.informer, isToBeScheduled),
      readOnly(nodes),
      readOnly(namespaces),
      readOnly(claims),
    ],
    reconcile: async ({ key }, signal) => {
      const pod = pods.get(key);
      if (pod === undefined || !isToBeScheduled(pod) || pool.isAssumed(pod)) {
        waiting.delete(key);
        return undefined;
      }
      // Before one looks, so that a claim that comes meanwhile brings the pod back.
      waiting.set(key, 'claims');
      const missing = await missingClaim(pod, signal);
      if (missing !== undefined) {
        await sayUnschedulable(pod, describeMissingClaim(missing, pool.size), signal);
        return undefined;
      }
      const namespaceLabels = (name: string) => namespaces.get(name)?.metadata.labels;
      const placement = decideNode({ pod, pool, namespaceLabels, random });
      if ('node' in placement) {
        waiting.delete(key);
        await bind(pod, placement.node, signal);
      } else {
        waiting.set(key, placement.waitsForPods ? 'pods' : 'nodes');
        await sayUnschedulable(pod, placement.message, signal);
      }
      return undefined;
    },
  });
  follow();
  return controller;

  /** Keeps the pool current, and brings waiting pods back when something may help them. */
  function follow(): void {
    nodes.informer.addHandler({
      onAdd: (node) => {
        pool.setNode(node);
        retry('nodes');
      },
      onUpdate: (node, old) => {
        pool.setNode(node);
        if (mayHelp(node, old)) retry('nodes');
      },
      onDelete: (node) => pool.removeNode(node.metadata.name),
    });
    claims.informer.addHandler({ onAdd: () => retry('claims') });
    pods.informer.addHandler({
      onAdd: (pod) => {
        pool.setPod(pod);
        if (pod.spec?.nodeName !== undefined) retry('pods');
      },
      onUpdate: (pod, old) => {
        pool.setPod(pod);
        const hasEnded = isFinished(pod) && !isFinished(old);
        if (hasEnded || pod.spec?.nodeName !== old.spec?.nodeName) retry('pods');
      },
      onDelete: (pod) => {
        pool.removePod(pod);
        waiting.delete(objectKey(pod));
        retry('pods');
      },
    });
  }

  function retry(because: 'nodes' | 'pods' | 'claims'): void {
    for (const [key, waitsFor] of waiting) {
      if (waitsFor === because || (because === 'nodes' && waitsFor === 'pods')) controller.queue.add(key);
    }
  }

  /** Name of a claim of the pod that does not exist. The server has the last word: its watch may be a moment behind. */
  async function missingClaim(pod: Pod, signal: AbortSignal): Promise<string | undefined> {
    const { namespace = '' } = pod.metadata;
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      const name = persistentVolumeClaim?.claimName;
      if (name === undefined || claims.get(`${namespace}/${name}`) !== undefined) continue;
      const found = await client.find(PERSISTENT_VOLUME_CLAIMS, name, { namespace, signal });
      if (found === undefined) return name;
    }
    return undefined;
  }

  async function bind(pod: Pod, node: string, signal: AbortSignal): Promise<void> {
    const { name, namespace = '', uid } = pod.metadata;
    pool.assume(pod, node);
    try {
      // A Binding is sent to the pod's subresource; it is no object that is stored.
      await client.create(
        PODS,
        {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) },
          target: { apiVersion: 'v1', kind: 'Node', name: node },
        } as { metadata: { name: string } },
        { namespace, subresource: 'binding', signal },
      );
    } catch (error) {
      pool.forget(pod);
      // Bound by somebody else, or gone: the watch tells.
      if (isNotFound(error) || isConflict(error)) return;
      const message = `binding rejected: ${explain(error)}`;
      events.record(PODS, pod, { type: 'Warning', reason: 'FailedScheduling', message });
      throw error;
    }
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    events.record(PODS, pod, { type: 'Normal', reason: 'Scheduled', message });
  }

  async function sayUnschedulable(pod: Pod, message: string, signal: AbortSignal): Promise<void> {
    const present = findCondition(pod.status?.conditions, 'PodScheduled');
    if (present?.status === 'False' && present.message === message) return;
    events.record(PODS, pod, { type: 'Warning', reason: 'FailedScheduling', message });
    const condition: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
    };
    const conditions = withCondition<PodCondition>(pod.status?.conditions, condition, clock.now());
    try {
      await writer.updateStatus<Pod>(PODS, { ...pod, status: { ...pod.status, conditions } }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Whether the pod waits for this scheduler. */
function isToBeScheduled(pod: Pod): boolean {
  const { nodeName = '', schedulerName = SCHEDULER_NAME, schedulingGates = [] } = pod.spec ?? {};
  return (
    nodeName === '' &&
    schedulerName === SCHEDULER_NAME &&
    schedulingGates.length === 0 &&
    pod.metadata.deletionTimestamp === undefined &&
    !isFinished(pod)
  );
}

/** Whether a change of a node may make room for a pod: not each heartbeat does. */
function mayHelp(node: Node, old: Node): boolean {
  return (
    !equalJson(node.spec, old.spec) ||
    !equalJson(node.metadata.labels, old.metadata.labels) ||
    !equalJson(node.status?.allocatable, old.status?.allocatable)
  );
}
