import type { ConfigMap, Node, Pod, Secret } from '@turnsole/kube/kinds/core';
import type { Informer } from '@turnsole/kube/runtime/index';

/** The watch events that one node's agent gets. */
interface NodeSubscriber {
  /** A pod bound to the node is there or has changed. */
  pod(pod: Pod): void;
  podGone(pod: Pod): void;
  /** The node's own object is there or has changed. */
  node(node: Node): void;
  object(kind: 'configMap' | 'secret', namespace: string, name: string): void;
}

/** Where a feed takes it from. */
interface NodeFeedSources {
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly configMaps: Informer<ConfigMap>;
  readonly secrets: Informer<Secret>;
}

/**
 * Hands each change to the agent of the node that it is about. All nodes of the process share one copy of each
 * resource and one subscription to it: with a thousand nodes, a change of a pod costs one look-up, not a thousand calls.
 */
export class NodeFeed {
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #subscribers = new Map<string, NodeSubscriber>();
  readonly #unsubscribe: (() => void)[];

  constructor({ pods, nodes, configMaps, secrets }: NodeFeedSources) {
    this.#pods = pods;
    this.#nodes = nodes;
    const pod = (object: Pod): void => this.#of(object)?.pod(object);
    const node = (object: Node): void => this.#subscribers.get(object.metadata.name)?.node(object);
    const handlersOf = (kind: 'configMap' | 'secret') => {
      const changed = ({ metadata }: ConfigMap | Secret): void => {
        for (const subscriber of this.#subscribers.values()) {
          subscriber.object(kind, metadata.namespace ?? '', metadata.name);
        }
      };
      return { onAdd: changed, onUpdate: changed, onDelete: changed };
    };
    this.#unsubscribe = [
      pods.addHandler({
        onAdd: pod,
        onUpdate: pod,
        onDelete: (object) => this.#of(object)?.podGone(object),
      }),
      nodes.addHandler({ onAdd: node, onUpdate: node }),
      configMaps.addHandler(handlersOf('configMap')),
      secrets.addHandler(handlersOf('secret')),
    ];
  }

  /** Subscribes the agent of a node, which gets what exists already at once. Returns the function that unsubscribes. */
  subscribe(name: string, subscriber: NodeSubscriber): () => void {
    this.#subscribers.set(name, subscriber);
    const node = this.#nodes.lister.get(name);
    if (node !== undefined) subscriber.node(node);
    for (const pod of this.podsOf(name)) subscriber.pod(pod);
    return () => {
      if (this.#subscribers.get(name) === subscriber) this.#subscribers.delete(name);
    };
  }

  /** Pods bound to a node. */
  podsOf(name: string): Pod[] {
    return this.#pods.lister.list().filter(({ spec }) => spec?.nodeName === name);
  }

  /** Hears no more. Idempotent. */
  close(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
  }

  #of({ spec }: Pod): NodeSubscriber | undefined {
    return spec?.nodeName === undefined ? undefined : this.#subscribers.get(spec.nodeName);
  }
}
