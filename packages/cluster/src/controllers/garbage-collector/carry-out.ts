import { isNotFound, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, OwnerReference } from '@turnsole/kube/kinds/core';
import type { Logger } from '@turnsole/kube/runtime/index';
import type { Collection, OwnerToVerify } from './decide-collection.ts';
import { type GraphNode, type OwnerGraph, toNode } from './graph.ts';

/** Carries out the decision about an object; what it learns goes into the graph. */
export class CollectionExecutor {
  readonly #client: KubeClient;
  readonly #graph: OwnerGraph;
  readonly #logger: Logger;
  readonly #lookAt: (uid: string) => void;

  /** @param lookAt has an object decided on soon */
  constructor(client: KubeClient, graph: OwnerGraph, logger: Logger, lookAt: (uid: string) => void) {
    this.#client = client;
    this.#graph = graph;
    this.#logger = logger;
    this.#lookAt = lookAt;
  }

  /** Whether more has to be decided about the object at once. */
  async carryOut(node: GraphNode, collection: Collection, signal: AbortSignal): Promise<boolean> {
    switch (collection.action) {
      case 'none':
        return false;
      case 'verify':
        await Promise.all(collection.owners.map((owner) => this.#verify(owner, signal)));
        return true;
      case 'delete':
        this.#logger.debug({ object: describe(node), policy: collection.policy }, 'collecting');
        await this.#remove(node, collection.policy, signal);
        return false;
      case 'keep-owners':
        await this.#patch(node, { ownerReferences: collection.owners }, signal);
        return false;
      case 'remove-finalizer': {
        const finalizers = node.finalizers.filter((one) => one !== collection.finalizer);
        await this.#patch(node, { finalizers }, signal);
        return false;
      }
      case 'release':
        await Promise.all(
          collection.dependents.map((dependent) => {
            const ownerReferences = dependent.owners.filter(({ uid }) => uid !== node.uid);
            return this.#patch(dependent, { ownerReferences }, signal);
          }),
        );
        // Comes back when the watch reports the last dependent's change.
        return false;
      case 'look-at':
        for (const { uid } of collection.dependents) this.#lookAt(uid);
        return false;
      case 'unblock':
        for (const dependent of collection.dependents) {
          const ownerReferences = dependent.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
          await this.#patch(dependent, { ownerReferences }, signal);
        }
        return false;
    }
  }

  /** Asks the server whether the owner exists; an object of the same name with another uid is not the owner. */
  async #verify({ reference, resource, namespace }: OwnerToVerify, signal: AbortSignal): Promise<void> {
    const place = { ...placeOf({ namespace }), signal };
    const found = await this.#client.find<KubeObject>(resource, reference.name, place);
    if (found?.metadata.uid !== reference.uid) {
      this.#graph.noteAbsent(reference.uid);
    } else if (this.#graph.get(reference.uid) === undefined && !this.#graph.isAbsent(reference.uid)) {
      // The watch reports it in a moment; until then this is as good. (The watch may have reported its deletion already.)
      for (const uid of this.#graph.set(toNode(resource, found))) this.#lookAt(uid);
    }
  }

  async #remove(
    node: GraphNode,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion } = node;
    // By version too: a client may just be giving it another owner.
    const preconditions = { uid, resourceVersion };
    const options = { ...placeOf(node), propagationPolicy, preconditions, signal };
    await unless(isNotFound, this.#client.delete(node.resource, node.name, options));
  }

  async #patch(
    node: GraphNode,
    change:
      | { readonly ownerReferences: readonly OwnerReference[] }
      | { readonly finalizers: readonly string[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion } = node;
    const metadata = { uid, resourceVersion, ...change };
    const options = { ...placeOf(node), signal };
    await unless(isNotFound, this.#client.patch(node.resource, node.name, 'merge', { metadata }, options));
  }
}

function placeOf({ namespace }: Pick<GraphNode, 'namespace'>): { readonly namespace?: string } {
  return namespace === '' ? {} : { namespace };
}

function describe(node: GraphNode): string {
  return `${node.resource.kind} ${node.namespace === '' ? '' : `${node.namespace}/`}${node.name}`;
}
