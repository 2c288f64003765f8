import { findCondition } from '../../../api/conditions.ts';
import type { Lease, Node } from '../../../api/core.ts';
import type { Clock, Informer } from '../../../kube/runtime/index.ts';

/** Namespace of the leases by which nodes say that they live. */
const LEASE_NAMESPACE = 'kube-node-lease';

/** When the last sign of life of each node arrived, by our clock: the node's own may be wrong. */
export class Heartbeats {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lastReceivedAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Heartbeats are many; they only postpone the next look at a node. */
  follow(nodes: Pick<Informer<Node>, 'addHandler'>, leases: Pick<Informer<Lease>, 'addHandler'>): this {
    leases.addHandler({
      onAdd: (lease) => this.#noteLease(lease),
      onUpdate: (lease, old) => {
        if (lease.spec?.renewTime !== old.spec?.renewTime) this.#noteLease(lease);
      },
    });
    nodes.addHandler({
      onUpdate: (node, old) => {
        if (hasPosted(node, old)) this.#noteLife(node.metadata.name);
      },
    });
    return this;
  }

  /** Milliseconds until a node counts as silent. A node without any sign of life has its grace from the first look on. */
  untilSilentMs(node: string, graceMs: number): number {
    const receivedAt = this.#lastReceivedAt.get(node) ?? this.#noteLife(node);
    return Math.max(0, receivedAt + graceMs - this.#clock.now());
  }

  /** The node is gone. */
  forget(node: string): void {
    this.#lastReceivedAt.delete(node);
  }

  #noteLease({ metadata }: Lease): void {
    if (metadata.namespace === LEASE_NAMESPACE) this.#noteLife(metadata.name);
  }

  #noteLife(node: string): number {
    const now = this.#clock.now();
    this.#lastReceivedAt.set(node, now);
    return now;
  }
}

/** Whether the node has posted its status; Unknown is what the controller itself writes. */
function hasPosted(node: Node, old: Node): boolean {
  const posted = findCondition(node.status?.conditions, 'Ready');
  const before = findCondition(old.status?.conditions, 'Ready');
  if (posted === undefined || posted.status === 'Unknown') return false;
  return posted.status !== before?.status || posted.lastHeartbeatTime !== before.lastHeartbeatTime;
}
