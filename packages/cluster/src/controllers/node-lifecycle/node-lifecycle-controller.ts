import { ControllerBase } from '@turnsole/kube/controllers/controller';
import { earlier } from '@turnsole/kube/controllers/plan';
import { readOnly } from '@turnsole/kube/controllers/sources';
import { type Lease, type Node, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { LEASES, NODES, PODS } from '@turnsole/kube/kinds/resources';
import {
  fromMapped,
  fromObjects,
  type ReconcileRequest,
  type ReconcileResult,
} from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import type { ClusterContext } from '../shared/cluster-context.ts';
import { BY_NODE } from '../shared/pod-indexes.ts';
import { isReady } from '../shared/pods.ts';
import { setPodCondition } from '../shared/set-pod-condition.ts';
import { readiness, SeenTaints, silentConditions, taintsFor, untilEvictionMs } from './decide-node.ts';
import { Heartbeats } from './heartbeats.ts';

/**
 * Watches over nodes: marks those that fell silent, keeps the taints that stand for conditions, and sees to it that pods
 * leave nodes whose taints they do not tolerate (any longer).
 */
export class NodeLifecycleController extends ControllerBase<ClusterContext> {
  readonly name = 'node-lifecycle';
  readonly #nodes = this.context.informers.view<Node>(NODES);
  readonly #leases = this.context.informers.view<Lease>(LEASES);
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #nodeEvents = this.context.eventsOf('node-controller');
  readonly #evictionEvents = this.context.eventsOf('taint-eviction-controller');
  readonly #heartbeats = new Heartbeats(this.context.clock).follow(
    this.#nodes.informer,
    this.#leases.informer,
  );
  readonly #taintsSeen = new SeenTaints();
  readonly sources = [
    fromObjects(this.#nodes.informer, (node, old) => old === undefined || concerns(node, old)),
    // A pod that is bound to a tainted node may have to leave it again.
    fromMapped(this.#pods.informer, ({ spec, metadata }) => {
      const node = this.#nodes.get(spec?.nodeName ?? '');
      const isTainted = node?.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true;
      return isTainted && metadata.deletionTimestamp === undefined ? [spec?.nodeName ?? ''] : [];
    }),
    readOnly(this.#leases),
  ];

  constructor(context: ClusterContext) {
    super(context);
    this.#nodes.informer.addHandler({
      onAdd: (node) => this.#recordNodeEvent(node, 'RegisteredNode', 'Registered Node', 'in'),
      onDelete: (node) => this.#recordNodeEvent(node, 'RemovingNode', 'Removing Node', 'from'),
    });
  }

  async reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const found = this.#nodes.get(key);
    if (found === undefined) {
      this.#heartbeats.forget(key);
      this.#taintsSeen.forget(key);
      return undefined;
    }
    const { clock, options } = this.context;
    const silentInMs = this.#heartbeats.untilSilentMs(key, options.nodeGraceMs);
    const marked = silentInMs === 0 ? await this.#markSilent(found, signal) : found;
    const taints = taintsFor(marked, clock.now());
    const node = taints === undefined ? marked : await this.#setTaints(marked, taints, signal);
    if (taints !== undefined && readiness(node) !== 'True') await this.#markPodsNotReady(node, signal);
    const evictionInMs = await this.#evict(node, signal);
    return { requeueAfterMs: earlier(silentInMs === 0 ? undefined : silentInMs, evictionInMs) };
  }

  async #markSilent(node: Node, signal: AbortSignal): Promise<Node> {
    const conditions = silentConditions(node, this.context.clock.now());
    if (conditions === undefined) return node;
    const status = { ...node.status, conditions };
    return this.context.writer.updateStatus<Node>(NODES, { ...node, status }, signal);
  }

  #setTaints(node: Node, taints: ReturnType<typeof taintsFor>, signal: AbortSignal): Promise<Node> {
    return this.context.writer.update<Node>(NODES, { ...node, spec: { ...node.spec, taints } }, signal);
  }

  /** The node became not ready: marks its pods as not ready too, and the endpoints drop them. */
  async #markPodsNotReady(node: Node, signal: AbortSignal): Promise<void> {
    const reason = 'NodeNotReady';
    const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
    this.#nodeEvents.record(NODES, node, { type: 'Normal', reason, message });
    for (const pod of this.#pods.byIndex(BY_NODE, node.metadata.name)) {
      if (!isReady(pod) || isFinished(pod)) continue;
      await setPodCondition(this.context, pod, { type: 'Ready', status: 'False' }, signal);
      this.#nodeEvents.record(PODS, pod, { type: 'Warning', reason, message: 'Node is not ready' });
    }
  }

  /** Removes pods that must not stay, and returns when the next one has to go. */
  async #evict(node: Node, signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.context;
    const taints = this.#taintsSeen.dated(node, clock.now());
    let next: number | undefined;
    for (const pod of this.#pods.byIndex(BY_NODE, node.metadata.name)) {
      const waitMs = untilEvictionMs(pod, taints, clock.now());
      if (waitMs === 0) await this.#evictOne(pod, signal);
      else next = earlier(next, waitMs);
    }
    return next;
  }

  async #evictOne(pod: Pod, signal: AbortSignal): Promise<void> {
    const note = { type: 'Normal', reason: 'TaintManagerEviction' } as const;
    const message = `Marking for deletion Pod ${objectKey(pod)}`;
    this.#evictionEvents.record(PODS, pod, { ...note, message });
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    await setPodCondition(this.context, pod, condition, signal);
    await this.context.writer.delete<Pod>(PODS, pod, signal);
  }

  #recordNodeEvent(node: Node, reason: string, what: string, where: string): void {
    const { name } = node.metadata;
    const message = `Node ${name} event: ${what} ${name} ${where} Controller`;
    this.#nodeEvents.record(NODES, node, { type: 'Normal', reason, message });
  }
}

/** Heartbeats change times only. */
function concerns(node: Node, old: Node): boolean {
  const statuses = ({ status }: Node) => (status?.conditions ?? []).map(({ type, status }) => [type, status]);
  return !equivalentJson(node.spec, old.spec) || !equivalentJson(statuses(node), statuses(old));
}
