import { findCondition } from '../../../api/conditions.ts';
import type { Lease, Node } from '../../../api/core.ts';
import type { Clock, Informer } from '../../../kube/runtime/index.ts';

/** Namespace of the leases by which nodes say that they live. */
const LEASE_NAMESPACE = 'kube-node-lease';

/** When each node was last heard, by our clock: the node's own may be wrong. */
export class Heartbeats {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #heardAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Heartbeats are many; they only postpone the next look at a node. */
  follow(nodes: Pick<Informer<Node>, 'addHandler'>, leases: Pick<Informer<Lease>, 'addHandler'>): this {
    leases.addHandler({
      onAdd: (lease) => this.#hearLease(lease),
      onUpdate: (lease, old) => {
        if (lease.spec?.renewTime !== old.spec?.renewTime) this.#hearLease(lease);
      },
    });
    nodes.addHandler({
      onUpdate: (node, old) => {
        if (hasPosted(node, old)) this.#hear(node.metadata.name);
      },
    });
    return this;
  }

  /** Milliseconds until a node counts as silent. One that was never heard has its grace from the first look on. */
  untilSilentMs(node: string, graceMs: number): number {
    const heard = this.#heardAt.get(node) ?? this.#hear(node);
    return Math.max(0, heard + graceMs - this.#clock.now());
  }

  /** The node is gone. */
  forget(node: string): void {
    this.#heardAt.delete(node);
  }

  #hearLease({ metadata }: Lease): void {
    if (metadata.namespace === LEASE_NAMESPACE) this.#hear(metadata.name);
  }

  #hear(node: string): number {
    const now = this.#clock.now();
    this.#heardAt.set(node, now);
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
