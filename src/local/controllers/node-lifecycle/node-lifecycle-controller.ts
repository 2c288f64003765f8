import { type Lease, type Node, objectKey, type Pod } from '../../../api/core.ts';
import { LEASES, NODES, PODS } from '../../../api/resources.ts';
import { isConflict, isNotFound } from '../../../kube/client/errors.ts';
import { type Controller, fromMapped, fromObjects } from '../../../kube/runtime/index.ts';
import { findCondition, withCondition } from '../shared/conditions.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { BY_NODE } from '../shared/informers.ts';
import { earlier } from '../shared/plan.ts';
import { isFinished, isReady } from '../shared/pods.ts';
import { readOnly } from '../shared/sources.ts';
import type { PodCondition } from '../shared/types.ts';
import { readiness, SeenTaints, silentConditions, taintsFor, untilEvictionMs } from './decide-node.ts';

/** Namespace of the leases by which nodes say that they live. */
const LEASE_NAMESPACE = 'kube-node-lease';

/**
 * Watches over nodes: marks those that fell silent, keeps the taints that stand for conditions, and sees to it that pods
 * leave nodes whose taints they do not tolerate (any longer).
 */
export function nodeLifecycleController(context: ControllerContext): Controller {
  const { informers, writer, clock, options } = context;
  const nodes = informers.view<Node>(NODES);
  const leases = informers.view<Lease>(LEASES);
  const pods = informers.view<Pod>(PODS);
  const nodeEvents = context.eventsOf('node-controller');
  const evictionEvents = context.eventsOf('taint-eviction-controller');
  /** When each node's lease was last seen to change, by our clock: the node's own may be wrong. */
  const heardAt = new Map<string, number>();
  const taintsSeen = new SeenTaints();

  leases.informer.addHandler({
    onAdd: (lease) => note(lease),
    onUpdate: (lease, old) => {
      if (lease.spec?.renewTime !== old.spec?.renewTime) note(lease);
    },
  });
  // Renewals are many; they only move the time at which one looks again.
  function note({ metadata }: Lease): void {
    if (metadata.namespace === LEASE_NAMESPACE) heardAt.set(metadata.name, clock.now());
  }

  // So do status posts; what this controller itself writes is Unknown.
  nodes.informer.addHandler({
    onAdd: (node) => tellNode(node, 'RegisteredNode', 'Registered Node', 'in'),
    onDelete: (node) => tellNode(node, 'RemovingNode', 'Removing Node', 'from'),
    onUpdate: (node, old) => {
      const posted = findCondition(node.status?.conditions, 'Ready');
      const before = findCondition(old.status?.conditions, 'Ready');
      if (posted === undefined || posted.status === 'Unknown') return;
      const isNews =
        posted.status !== before?.status || posted.lastHeartbeatTime !== before.lastHeartbeatTime;
      if (isNews) heardAt.set(node.metadata.name, clock.now());
    },
  });

  function tellNode(node: Node, reason: string, what: string, where: string): void {
    const { name } = node.metadata;
    const message = `Node ${name} event: ${what} ${name} ${where} Controller`;
    nodeEvents.record(NODES, node, { type: 'Normal', reason, message });
  }

  /** Milliseconds until the node counts as silent. One that was never heard has its grace from the first look on. */
  function untilSilentMs({ metadata }: Node): number {
    const heard = heardAt.get(metadata.name) ?? clock.now();
    heardAt.set(metadata.name, heard);
    return Math.max(0, heard + options.nodeGraceMs - clock.now());
  }

  async function markSilent(node: Node, signal: AbortSignal): Promise<Node> {
    const conditions = silentConditions(node, clock.now());
    if (conditions === undefined) return node;
    const status = { ...node.status, conditions };
    return writer.updateStatus<Node>(NODES, { ...node, status }, signal);
  }

  /** The node became not ready: its pods are said to be so too, and the endpoints let them go. */
  async function tellPods(node: Node, signal: AbortSignal): Promise<void> {
    const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
    nodeEvents.record(NODES, node, { type: 'Normal', reason: 'NodeNotReady', message });
    for (const pod of pods.byIndex(BY_NODE, node.metadata.name)) {
      if (!isReady(pod) || isFinished(pod)) continue;
      const condition: PodCondition = { type: 'Ready', status: 'False' };
      const conditions = withCondition<PodCondition>(pod.status?.conditions, condition, clock.now());
      await unlessChanged(
        writer.updateStatus<Pod>(PODS, { ...pod, status: { ...pod.status, conditions } }, signal),
      );
      nodeEvents.record(PODS, pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
    }
  }

  async function keepTaints(node: Node, signal: AbortSignal): Promise<Node> {
    const taints = taintsFor(node, clock.now());
    if (taints === undefined) return node;
    return writer.update<Node>(NODES, { ...node, spec: { ...node.spec, taints } }, signal);
  }

  /** Removes pods that must not stay, and returns when the next one has to go. */
  async function evict(node: Node, signal: AbortSignal): Promise<number | undefined> {
    const taints = taintsSeen.dated(node, clock.now());
    let next: number | undefined;
    for (const pod of pods.byIndex(BY_NODE, node.metadata.name)) {
      const wait = untilEvictionMs(pod, taints, clock.now());
      if (wait === undefined) continue;
      if (wait > 0) {
        next = Math.min(next ?? wait, wait);
        continue;
      }
      await evictOne(pod, signal);
    }
    return next;
  }

  async function evictOne(pod: Pod, signal: AbortSignal): Promise<void> {
    const message = `Marking for deletion Pod ${objectKey(pod)}`;
    evictionEvents.record(PODS, pod, { type: 'Normal', reason: 'TaintManagerEviction', message });
    const condition: PodCondition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    const conditions = withCondition<PodCondition>(pod.status?.conditions, condition, clock.now());
    await unlessChanged(
      writer.updateStatus<Pod>(PODS, { ...pod, status: { ...pod.status, conditions } }, signal),
    );
    await writer.delete<Pod>(PODS, pod, signal);
  }

  return createController(context, {
    name: 'node-lifecycle',
    sources: [
      fromObjects(nodes.informer, (node, old) => old === undefined || concerns(node, old)),
      // A pod that comes to a tainted node may have to leave it again.
      fromMapped(pods.informer, ({ spec, metadata }) => {
        const node = nodes.get(spec?.nodeName ?? '');
        const isTainted = node?.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true;
        return isTainted && metadata.deletionTimestamp === undefined ? [spec?.nodeName ?? ''] : [];
      }),
      readOnly(leases),
    ],
    reconcile: async ({ key }, signal) => {
      let node = nodes.get(key);
      if (node === undefined) {
        heardAt.delete(key);
        taintsSeen.forget(key);
        return undefined;
      }
      const silentInMs = untilSilentMs(node);
      if (silentInMs === 0) node = await markSilent(node, signal);
      const wasReachable = taintsFor(node, clock.now()) !== undefined;
      node = await keepTaints(node, signal);
      if (wasReachable && readiness(node) !== 'True') await tellPods(node, signal);
      const evictionInMs = await evict(node, signal);
      return { requeueAfterMs: earlier(silentInMs === 0 ? undefined : silentInMs, evictionInMs) };
    },
  });
}

/** Heartbeats change times only. */
function concerns(node: Node, old: Node): boolean {
  const statuses = ({ status }: Node) => (status?.conditions ?? []).map(({ type, status }) => [type, status]);
  return !equalJson(node.spec, old.spec) || !equalJson(statuses(node), statuses(old));
}

/** The pod changed or went at the same time: its next event brings us back. */
async function unlessChanged(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
