import { type Node, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { controllerOf, type Informer } from '@turnsole/kube/runtime/index';
import { type Amounts, addTo, amountsOf, hostPorts, placedRequests } from './requests.ts';

/** One node and what runs on it. */
export interface NodeRecord {
  readonly node: Node;
  readonly allocatable: Amounts;
  /** Sum of the requests of its pods. */
  readonly requested: Amounts;
  readonly ports: ReadonlySet<string>;
  readonly pods: ReadonlyMap<string, Pod>;
  /** Number of its pods by the uid of the owner that manages them. */
  readonly byOwner: ReadonlyMap<string, number>;
}

class Load {
  readonly requested = new Map<string, number>();
  readonly ports = new Set<string>();
  readonly pods = new Map<string, Pod>();
  readonly byOwner = new Map<string, number>();

  add(key: string, pod: Pod): void {
    this.pods.set(key, pod);
    addTo(this.requested, placedRequests(pod));
    for (const port of hostPorts(pod)) this.ports.add(port);
    const owner = controllerOf(pod)?.uid;
    if (owner !== undefined) this.byOwner.set(owner, (this.byOwner.get(owner) ?? 0) + 1);
  }

  remove(key: string, pod: Pod): void {
    this.pods.delete(key);
    addTo(this.requested, placedRequests(pod), -1);
    for (const port of hostPorts(pod)) this.ports.delete(port);
    const owner = controllerOf(pod)?.uid;
    if (owner === undefined) return;
    const left = (this.byOwner.get(owner) ?? 1) - 1;
    if (left === 0) this.byOwner.delete(owner);
    else this.byOwner.set(owner, left);
  }
}

/**
 * All nodes with what their pods take, kept current pod by pod, so that placing one pod costs no pass over all others.
 *
 * A pod counts from the moment the scheduler decides (`assume`), before the server has stored the binding; `forget` takes
 * that back when the binding fails.
 */
export class NodePool {
  readonly #nodes = new Map<string, Node>();
  readonly #allocatable = new Map<string, Amounts>();
  readonly #loads = new Map<string, Load>();
  /** Records and names as they were last asked for, until a node changes: each pod asks for hundreds. */
  readonly #records = new Map<string, NodeRecord>();
  #names: readonly string[] | undefined;
  /** The node at which each pod is counted. */
  readonly #places = new Map<string, { readonly node: string; readonly pod: Pod }>();
  /** Pods with required anti-affinity: they may object to pods that come after them. */
  readonly #objectors = new Map<string, Pod>();

  /** Keeps the pool current with the local copies of nodes and pods, for as long as these live. */
  follow(nodes: Pick<Informer<Node>, 'addHandler'>, pods: Pick<Informer<Pod>, 'addHandler'>): this {
    const setNode = (node: Node): void => this.setNode(node);
    nodes.addHandler({
      onAdd: setNode,
      onUpdate: setNode,
      onDelete: ({ metadata }) => this.removeNode(metadata.name),
    });
    const setPod = (pod: Pod): void => this.setPod(pod);
    pods.addHandler({ onAdd: setPod, onUpdate: setPod, onDelete: (pod) => this.removePod(pod) });
    return this;
  }

  get size(): number {
    return this.#nodes.size;
  }

  setNode(node: Node): void {
    this.#records.delete(node.metadata.name);
    if (!this.#nodes.has(node.metadata.name)) this.#names = undefined;
    this.#nodes.set(node.metadata.name, node);
    this.#allocatable.set(node.metadata.name, amountsOf(node.status?.allocatable ?? node.status?.capacity));
  }

  removeNode(name: string): void {
    this.#records.delete(name);
    this.#names = undefined;
    this.#nodes.delete(name);
    this.#allocatable.delete(name);
  }

  /** Counts a pod as the server has it; one that is not bound or has ended takes nothing. */
  setPod(pod: Pod): void {
    const node = pod.spec?.nodeName ?? '';
    const key = objectKey(pod);
    const place = this.#places.get(key);
    // The binding of an assumed pod may not have come back yet: an older state without a node does not undo it.
    if (node === '' && place !== undefined && place.pod.metadata.uid === pod.metadata.uid) return;
    this.#unplace(key);
    if (node !== '' && !isFinished(pod)) this.#place(key, node, pod);
  }

  removePod(pod: Pod): void {
    this.#unplace(objectKey(pod));
  }

  assume(pod: Pod, node: string): void {
    const key = objectKey(pod);
    this.#unplace(key);
    this.#place(key, node, pod);
  }

  forget(pod: Pod): void {
    this.#unplace(objectKey(pod));
  }

  isAssumed(pod: Pod): boolean {
    return this.#places.get(objectKey(pod))?.pod.metadata.uid === pod.metadata.uid;
  }

  names(): readonly string[] {
    this.#names ??= [...this.#nodes.keys()];
    return this.#names;
  }

  /** The node with its pods; the figures of a record follow them. */
  get(name: string): NodeRecord | undefined {
    const present = this.#records.get(name);
    if (present !== undefined) return present;
    const node = this.#nodes.get(name);
    if (node === undefined) return undefined;
    const { requested, ports, pods, byOwner } = this.#load(name);
    const allocatable = this.#allocatable.get(name) ?? new Map<string, number>();
    const record = { node, allocatable, requested, ports, pods, byOwner };
    this.#records.set(name, record);
    return record;
  }

  /** Pods with required anti-affinity and the nodes they are on. */
  *objectors(): Iterable<{ readonly pod: Pod; readonly node: Node }> {
    for (const [key, pod] of this.#objectors) {
      const node = this.#nodes.get(this.#places.get(key)?.node ?? '');
      if (node !== undefined) yield { pod, node };
    }
  }

  /** Every counted pod with its node. */
  *placed(): Iterable<{ readonly pod: Pod; readonly node: Node }> {
    for (const place of this.#places.values()) {
      const node = this.#nodes.get(place.node);
      if (node !== undefined) yield { pod: place.pod, node };
    }
  }

  #load(name: string): Load {
    const present = this.#loads.get(name);
    if (present !== undefined) return present;
    const load = new Load();
    this.#loads.set(name, load);
    return load;
  }

  #place(key: string, node: string, pod: Pod): void {
    this.#places.set(key, { node, pod });
    this.#load(node).add(key, pod);
    const { podAntiAffinity } = pod.spec?.affinity ?? {};
    if ((podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0) {
      this.#objectors.set(key, pod);
    }
  }

  #unplace(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.delete(key);
    this.#objectors.delete(key);
    const load = this.#loads.get(place.node);
    load?.remove(key, place.pod);
    if (load?.pods.size === 0 && !this.#nodes.has(place.node)) this.#loads.delete(place.node);
  }
}
