import type { KubeObject, OwnerReference } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { refersTo } from '@turnsole/kube/runtime/owner-references';

/** Set by the API server on deletion with policy Orphan. */
export const ORPHAN_FINALIZER = 'orphan';
/** Set by the API server on deletion with policy Foreground. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

/** What the collector knows of one object. */
export interface GraphNode {
  readonly uid: string;
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string | undefined;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  /** Deletion was asked for. */
  readonly going: boolean;
}

/** Going, and waiting for its dependents to be deleted first. */
export function isForeground(node: GraphNode): boolean {
  return node.going && node.finalizers.includes(FOREGROUND_FINALIZER);
}

/** Going, and waiting for its dependents to be released. */
export function isOrphaning(node: GraphNode): boolean {
  return node.going && node.finalizers.includes(ORPHAN_FINALIZER);
}

/** An object reduced to what the collector needs of it. */
export function toNode(resource: Resource, object: KubeObject): GraphNode {
  const { metadata } = object;
  return {
    uid: metadata.uid ?? '',
    resource,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    going: metadata.deletionTimestamp !== undefined,
  };
}

/** How many uids of deleted objects are remembered, to save a look at the server for each of their dependents. */
const MAX_ABSENT = 5_000;

/**
 * The owners of all objects, by uid, over all resources. Each change says which objects have to be looked at again; an unnecessary look
 * does no harm.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Owners that are known not to exist: a uid is never used again. */
  readonly #absent = new Set<string>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): GraphNode[] {
    const found: GraphNode[] = [];
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const node = this.#nodes.get(dependent);
      if (node !== undefined) found.push(node);
    }
    return found;
  }

  /** Enters an object as it is now. Returns the uids to look at. */
  set(node: GraphNode): string[] {
    const { uid } = node;
    const old = this.#nodes.get(uid);
    this.#nodes.set(uid, node);
    const look = new Set<string>();
    const before = new Map((old?.owners ?? []).map((owner) => [owner.uid, owner]));
    for (const owner of node.owners) {
      const present = before.get(owner.uid);
      before.delete(owner.uid);
      if (present === undefined) {
        this.#link(owner.uid, uid);
        look.add(uid);
      } else if (present.blockOwnerDeletion !== owner.blockOwnerDeletion) {
        this.#lookAtWaiting(owner.uid, look);
      }
    }
    for (const removed of before.keys()) {
      this.#unlink(removed, uid);
      this.#lookAtWaiting(removed, look);
      look.add(uid);
    }
    if (isOrphaning(node) || isForeground(node)) {
      look.add(uid);
      if (isForeground(node) && (old === undefined || !isForeground(old))) {
        for (const dependent of this.#dependents.get(uid) ?? []) look.add(dependent);
      }
    }
    return [...look];
  }

  /** Removes an object that is gone. Returns the uids to look at: its dependents, and owners that waited for it. */
  delete(uid: string): string[] {
    // Also when it was never entered: an answer to a question about it may still be on its way.
    this.noteAbsent(uid);
    const node = this.#nodes.get(uid);
    if (node === undefined) return [];
    this.#nodes.delete(uid);
    const look = new Set(this.#dependents.get(uid));
    for (const owner of node.owners) {
      this.#unlink(owner.uid, uid);
      this.#lookAtWaiting(owner.uid, look);
    }
    return [...look];
  }

  isAbsent(uid: string): boolean {
    return this.#absent.has(uid);
  }

  /** Remembers that no object has this uid. */
  noteAbsent(uid: string): void {
    this.#absent.delete(uid);
    this.#absent.add(uid);
    if (this.#absent.size <= MAX_ABSENT) return;
    const oldest = this.#absent.values().next();
    if (oldest.done === false) this.#absent.delete(oldest.value);
  }

  /** Objects with a reference to a kind. */
  referrersTo(resource: Resource): string[] {
    const found: string[] = [];
    for (const node of this.#nodes.values()) {
      if (node.owners.some((owner) => refersTo(owner, resource))) found.push(node.uid);
    }
    return found;
  }

  #link(owner: string, dependent: string): void {
    const set = this.#dependents.get(owner);
    if (set === undefined) this.#dependents.set(owner, new Set([dependent]));
    else set.add(dependent);
  }

  #unlink(owner: string, dependent: string): void {
    const set = this.#dependents.get(owner);
    set?.delete(dependent);
    if (set?.size === 0) this.#dependents.delete(owner);
  }

  #lookAtWaiting(uid: string, look: Set<string>): void {
    const owner = this.#nodes.get(uid);
    if (owner !== undefined && (isForeground(owner) || isOrphaning(owner))) look.add(uid);
  }
}
