import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { allowsNode, untoleratedTaint } from '../controllers/shared/placement.ts';
import { type Amounts, addTo, amountsOf, hostPorts, podRequests, portsClash } from '../scheduler/requests.ts';
import { grantedSpec } from './pod/allocation.ts';

/** Why a node does not take a pod that was bound to it. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

interface Taken {
  readonly requests: Amounts;
  readonly ports: readonly string[];
}

const MILLI = 1000;

/**
 * The resources that a node's pods take, and whether another pod fits: kubelet's admission, for pods that came past the
 * scheduler or were bound to a node that has changed. A pod counts until it has ended or is gone.
 */
export class NodeRoom {
  readonly #pods = new Map<string, Taken>();
  readonly #requested = new Map<string, number>();

  /** Counts a pod that is on the node already, whatever it takes. Idempotent. */
  take(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    if (this.#pods.has(uid)) return;
    const taken = { requests: podRequests(grantedSpec(pod)), ports: hostPorts(pod) };
    this.#pods.set(uid, taken);
    addTo(this.#requested, taken.requests);
  }

  /** The pod has ended or is gone; says whether it took anything. Idempotent. */
  release(uid: string): boolean {
    const taken = this.#pods.get(uid);
    if (taken === undefined) return false;
    this.#pods.delete(uid);
    addTo(this.#requested, taken.requests, -1);
    return taken.requests.size > 0;
  }

  /**
   * Counts a pod that is here with what it asks for now, if that fits; else says why not, and counts it as before. `isLess`: it leaves others
   * more room than before.
   */
  resize(pod: Pod, node: Node): { readonly refusal?: Refusal; readonly isLess: boolean } {
    const uid = pod.metadata.uid ?? '';
    const taken = this.#pods.get(uid);
    const requests = podRequests(pod.spec);
    const refusal = this.#lackOf(requests, node, taken?.requests);
    if (refusal !== undefined) return { refusal, isLess: false };
    if (taken === undefined) return { isLess: false };
    addTo(this.#requested, taken.requests, -1);
    this.#pods.set(uid, { ...taken, requests });
    addTo(this.#requested, requests);
    return { isLess: exceeds(taken.requests, requests) };
  }

  /** Whether a pod that is here asks for more of anything than it counts with. */
  isMore(pod: Pod): boolean {
    const taken = this.#pods.get(pod.metadata.uid ?? '');
    return exceeds(podRequests(pod.spec), taken?.requests ?? new Map());
  }

  /** Why the node cannot take a new pod; undefined when it can. */
  refusal(pod: Pod, node: Node): Refusal | undefined {
    return this.#lack(pod, node) ?? this.#mismatch(pod, node);
  }

  #lack(pod: Pod, { status }: Node): Refusal | undefined {
    const allocatable = amountsOf(status?.allocatable ?? status?.capacity);
    const room = allocatable.get('pods');
    if (room !== undefined && (this.#pods.size + 1) * MILLI > room) {
      return outOf('pods', 1, this.#pods.size, room / MILLI);
    }
    return this.#lackOf(podRequests(pod.spec), { status });
  }

  /** @param own what the pod counts with already */
  #lackOf(requests: Amounts, { status }: Pick<Node, 'status'>, own?: Amounts): Refusal | undefined {
    const allocatable = amountsOf(status?.allocatable ?? status?.capacity);
    for (const [name, requested] of requests) {
      const capacity = allocatable.get(name) ?? 0;
      const used = (this.#requested.get(name) ?? 0) - (own?.get(name) ?? 0);
      if (requested === 0 || requested + used <= capacity) continue;
      // CPU is counted in thousandths, everything else in whole units.
      const unit = name === 'cpu' ? 1 : MILLI;
      return outOf(name, requested / unit, used / unit, capacity / unit);
    }
    return undefined;
  }

  #mismatch(pod: Pod, node: Node): Refusal | undefined {
    if (!allowsNode(pod.spec, node))
      return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
    const ports = hostPorts(pod);
    const isTaken = (port: string): boolean =>
      this.#pods.values().some((other) => other.ports.some((taken) => portsClash(port, taken)));
    if (ports.some(isTaken))
      return predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports");
    const taint = untoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ['NoExecute']);
    return taint === undefined
      ? undefined
      : predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  }
}

function exceeds(amounts: Amounts, others: Amounts): boolean {
  return [...amounts].some(([name, amount]) => amount > (others.get(name) ?? 0));
}

function outOf(resource: string, requested: number, used: number, capacity: number): Refusal {
  const amounts = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, ${amounts}`,
  };
}

function predicate(name: string, why: string): Refusal {
  return { reason: name, message: `Predicate ${name} failed: ${why}` };
}
