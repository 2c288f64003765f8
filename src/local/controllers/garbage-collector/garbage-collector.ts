import type { KubeObject, OwnerReference } from '../../../api/core.ts';
import { isConflict, isNotFound } from '../../../kube/client/errors.ts';
import type { Controller, Source } from '../../../kube/runtime/index.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import type { Monitors } from '../shared/monitors.ts';
import { type Collection, decideCollection, type OwnerToVerify } from './decide-collection.ts';
import { type GraphNode, OwnerGraph, toNode } from './graph.ts';

/** Decisions per pass; verifying owners and acting on the outcome takes two. */
const MAX_STEPS = 4;
const WORKERS = 16;

/**
 * Deletes what has lost its owners, and carries foreground and orphan deletion out. Keys of its queue are uids.
 */
export function garbageCollector(context: ControllerContext, monitors: Monitors): Controller {
  const { client, logger } = context;
  const graph = new OwnerGraph();
  let enqueue: (uid: string) => void = () => {};

  const source: Source = {
    subscribe: (add) => {
      enqueue = add;
      monitors.addHandler({
        onAdd: (resource, object) => graph.set(toNode(resource, object)).forEach(add),
        onUpdate: (resource, object) => graph.set(toNode(resource, object)).forEach(add),
        onDelete: (_, object) => graph.delete(object.metadata.uid ?? '').forEach(add),
        onResource: (resource) => graph.referrersTo(resource).forEach(add),
      });
      return () => {};
    },
    // Owners that are not known are looked up one by one, but not those that are about to be listed.
    whenSynced: (signal) => monitors.whenSynced(signal),
  };

  async function carryOut(node: GraphNode, collection: Collection, signal: AbortSignal): Promise<boolean> {
    switch (collection.action) {
      case 'none':
        return false;
      case 'verify':
        await Promise.all(collection.owners.map((owner) => verify(owner, signal)));
        return true;
      case 'delete':
        logger.debug({ object: describe(node), policy: collection.policy }, 'collecting');
        await remove(node, collection.policy, signal);
        return false;
      case 'keep-owners':
        await setOwners(node, collection.owners, signal);
        return false;
      case 'remove-finalizer':
        await removeFinalizer(node, collection.finalizer, signal);
        return false;
      case 'release':
        await Promise.all(
          collection.dependents.map((dependent) =>
            setOwners(
              dependent,
              dependent.owners.filter(({ uid }) => uid !== node.uid),
              signal,
            ),
          ),
        );
        // Comes back when the last dependent's change is heard of.
        return false;
      case 'look-at':
        for (const { uid } of collection.dependents) enqueue(uid);
        return false;
      case 'unblock':
        for (const dependent of collection.dependents) {
          const owners = dependent.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
          await setOwners(dependent, owners, signal);
        }
        return false;
    }
  }

  /** Asks the server whether the owner exists; an object of the same name with another uid is not the owner. */
  async function verify(
    { reference, resource, namespace }: OwnerToVerify,
    signal: AbortSignal,
  ): Promise<void> {
    const place = namespace === '' ? {} : { namespace };
    const found = await client.find<KubeObject>(resource, reference.name, { ...place, signal });
    if (found === undefined || found.metadata.uid !== reference.uid) {
      graph.noteAbsent(reference.uid);
    } else if (graph.get(reference.uid) === undefined && !graph.isAbsent(reference.uid)) {
      // The watch tells of it in a moment; until then this is as good. (It may have told of its end already.)
      graph.set(toNode(resource, found)).forEach(enqueue);
    }
  }

  async function remove(
    node: GraphNode,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion } = node;
    await unlessGone(
      client.delete(node.resource, node.name, {
        ...placeOf(node),
        propagationPolicy,
        // By version too: somebody may just be giving it another owner.
        preconditions: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
        signal,
      }),
    );
  }

  async function setOwners(
    node: GraphNode,
    ownerReferences: readonly OwnerReference[],
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion } = node;
    const metadata = { uid, resourceVersion, ownerReferences };
    await unlessGone(
      client.patch(node.resource, node.name, 'merge', { metadata }, { ...placeOf(node), signal }),
    );
  }

  async function removeFinalizer(node: GraphNode, finalizer: string, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion } = node;
    const finalizers = node.finalizers.filter((one) => one !== finalizer);
    const metadata = { uid, resourceVersion, finalizers };
    await unlessGone(
      client.patch(node.resource, node.name, 'merge', { metadata }, { ...placeOf(node), signal }),
    );
  }

  return createController(context, {
    name: 'garbage-collector',
    workers: WORKERS,
    sources: [source],
    reconcile: async ({ key: uid }, signal) => {
      for (let step = 0; step < MAX_STEPS; step++) {
        const node = graph.get(uid);
        if (node === undefined) return undefined;
        const collection = decideCollection(graph, uid, (group, kind) => monitors.find(group, kind));
        try {
          if (!(await carryOut(node, collection, signal))) return undefined;
        } catch (error) {
          if (!isConflict(error)) throw error;
          // Its new state is on the way; if that needs no look, this one must not be the last.
          if (graph.get(uid) === node) throw error;
        }
      }
      return { requeueAfterMs: 0 };
    },
  });
}

function placeOf(node: GraphNode): { readonly namespace?: string } {
  return node.namespace === '' ? {} : { namespace: node.namespace };
}

function describe(node: GraphNode): string {
  return `${node.resource.kind} ${node.namespace === '' ? '' : `${node.namespace}/`}${node.name}`;
}

async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
