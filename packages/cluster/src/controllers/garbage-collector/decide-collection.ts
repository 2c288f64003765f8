import type { OwnerReference } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { groupOf, refersTo } from '@turnsole/kube/runtime/owner-references';
import {
  FOREGROUND_FINALIZER,
  type GraphNode,
  isForeground,
  isOrphaning,
  ORPHAN_FINALIZER,
  type OwnerGraph,
} from './graph.ts';

/** The action for one object. */
export type Collection =
  | { readonly action: 'none' }
  /** Owners that are neither known to exist nor known to be gone: ask the server, then decide again. */
  | { readonly action: 'verify'; readonly owners: readonly OwnerToVerify[] }
  | { readonly action: 'delete'; readonly policy: 'Background' | 'Foreground' | 'Orphan' }
  /** Some owners are gone or going, others stay: these references remain. */
  | { readonly action: 'keep-owners'; readonly owners: readonly OwnerReference[] }
  | { readonly action: 'remove-finalizer'; readonly finalizer: string }
  /** Dependents that must first lose their reference to the object, which is going. */
  | { readonly action: 'release'; readonly dependents: readonly GraphNode[] }
  /** Dependents that must be deleted first. */
  | { readonly action: 'look-at'; readonly dependents: readonly GraphNode[] }
  /** Dependents in a circle of foreground deletions: they stop blocking their owners. */
  | { readonly action: 'unblock'; readonly dependents: readonly GraphNode[] };

/** A reference whose owner the server has to be asked about, and where. */
export interface OwnerToVerify {
  readonly reference: OwnerReference;
  readonly resource: Resource;
  /** Where to look: '' for cluster-scoped owners. */
  readonly namespace: string;
}

/** Finds the resource of a kind; `undefined` while it is not served. */
type FindResource = (group: string, kind: string) => Resource | undefined;

/**
 * Decides the action for an object. (Kubernetes' garbage collector: attemptToDeleteItem and attemptToOrphan.)
 *
 * An object stays while one of its owners exists and does not wait for it. An owner only counts as gone when the watch
 * or the server said so, never because it has not been seen yet.
 */
export function decideCollection(graph: OwnerGraph, uid: string, find: FindResource): Collection {
  const node = graph.get(uid);
  if (node === undefined) return { action: 'none' };
  if (isOrphaning(node)) return release(graph, node);
  if (isForeground(node)) return waitForDependents(graph, node);
  if (node.going || node.owners.length === 0) return { action: 'none' };
  const { solid, waiting, unknown, unresolvable } = classify(graph, node, find);
  if (unknown.length > 0) return { action: 'verify', owners: unknown };
  // Nothing is known of a kind that is not served: its objects may come back with its definition.
  if (unresolvable.length > 0) return { action: 'none' };
  if (solid.length === node.owners.length) return { action: 'none' };
  if (solid.length > 0) return { action: 'keep-owners', owners: solid };
  if (waiting.length > 0 && graph.dependentsOf(uid).length > 0) {
    const inCircle = graph.dependentsOf(uid).some(isForeground);
    if (inCircle && node.owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) {
      return { action: 'unblock', dependents: [node] };
    }
    return { action: 'delete', policy: 'Foreground' };
  }
  return { action: 'delete', policy: policyOf(node) };
}

/** When an object is deleted because its owners are gone, its finalizers decide the propagation. */
function policyOf(node: GraphNode): 'Background' | 'Foreground' | 'Orphan' {
  if (node.finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return node.finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

function release(graph: OwnerGraph, node: GraphNode): Collection {
  const dependents = graph.dependentsOf(node.uid);
  if (dependents.length > 0) return { action: 'release', dependents };
  return { action: 'remove-finalizer', finalizer: ORPHAN_FINALIZER };
}

function waitForDependents(graph: OwnerGraph, node: GraphNode): Collection {
  const blocking = graph
    .dependentsOf(node.uid)
    .filter(({ owners }) =>
      owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion === true),
    );
  if (blocking.length === 0) return { action: 'remove-finalizer', finalizer: FOREGROUND_FINALIZER };
  const dependents = blocking.filter((dependent) => !isForeground(dependent));
  return dependents.length === 0 ? { action: 'none' } : { action: 'look-at', dependents };
}

interface Classes {
  /** Exist, and do not wait for this object. */
  readonly solid: OwnerReference[];
  /** Exist, and wait for their dependents to be deleted. */
  readonly waiting: OwnerReference[];
  readonly unknown: OwnerToVerify[];
  /** References to a kind that is not served. */
  readonly unresolvable: OwnerReference[];
}

function classify(graph: OwnerGraph, node: GraphNode, find: FindResource): Classes {
  const classes: Classes = { solid: [], waiting: [], unknown: [], unresolvable: [] };
  for (const reference of node.owners) {
    const owner = graph.get(reference.uid);
    if (owner !== undefined && isAt(owner, reference, node)) {
      (isForeground(owner) ? classes.waiting : classes.solid).push(reference);
      continue;
    }
    // A uid that is known to be gone is dangling: it is in none of the classes.
    if (owner === undefined && graph.isAbsent(reference.uid)) continue;
    const resource = find(groupOf(reference.apiVersion), reference.kind);
    if (resource === undefined) {
      classes.unresolvable.push(reference);
    } else if (resource.namespaced && node.namespace === '') {
      // A cluster-scoped object cannot have an owner in a namespace: it is not clear which one is meant.
      classes.solid.push(reference);
    } else if (owner === undefined) {
      const namespace = resource.namespaced ? node.namespace : '';
      classes.unknown.push({ reference, resource, namespace });
    }
    // Else an object with this uid exists, but in another namespace or under another name: dangling.
  }
  return classes;
}

/** Whether the known object is where the reference says. */
function isAt(owner: GraphNode, reference: OwnerReference, dependent: GraphNode): boolean {
  return (
    owner.name === reference.name &&
    refersTo(reference, owner.resource) &&
    (!owner.resource.namespaced || owner.namespace === dependent.namespace)
  );
}
