import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Lease, Node } from '@turnsole/kube/kinds/core';
import type { Clock, Informer } from '@turnsole/kube/runtime/index';

/** Namespace of the leases by which nodes say that they live. */
const LEASE_NAMESPACE = 'kube-node-lease';

/**
 * A look that comes this much later than it was due says that the process had no turn: it was suspended, or the machine is busy. Signs of
 * life may wait to be read then, and nodes in this process had no turn either.
 */
const LATE_MS = 50;
/** The part of the grace that a node gets from such a look on: a node reports so often in a grace that one report fits in. */
const MORE_GRACE = 0.25;

/** When the last sign of life of each node arrived, by our clock: the node's own may be wrong. */
export class Heartbeats {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lastReceivedAt = new Map<string, number>();
  /** Nodes that count as silent since then. */
  readonly #silent = new Set<string>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
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
    const leftMs = receivedAt + graceMs - this.#clock.monotonic();
    if (leftMs > 0 || this.#silent.has(node)) return Math.max(0, leftMs);
    if (leftMs < -LATE_MS) {
      const moreMs = graceMs * MORE_GRACE;
      this.#lastReceivedAt.set(node, this.#clock.monotonic() - graceMs + moreMs);
      return moreMs;
    }
    this.#silent.add(node);
    return 0;
  }

  /** The node is gone. */
  forget(node: string): void {
    this.#lastReceivedAt.delete(node);
    this.#silent.delete(node);
  }

  #noteLease({ metadata }: Lease): void {
    if (metadata.namespace === LEASE_NAMESPACE) this.#noteLife(metadata.name);
  }

  #noteLife(node: string): number {
    const now = this.#clock.monotonic();
    this.#lastReceivedAt.set(node, now);
    this.#silent.delete(node);
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
