import { isDeepStrictEqual } from 'node:util';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import { type Node, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import type { Source } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import type { PersistentVolumeClaim } from '../controllers/shared/types.ts';
import { placedRequests } from './requests.ts';

/** The least change that may help a pod that cannot be placed. */
type Change = 'nodes' | 'pods' | 'claims';

/** The informers that show such changes. */
interface Followed {
  readonly nodes: FreshView<Node>;
  readonly pods: FreshView<Pod>;
  readonly claims: FreshView<PersistentVolumeClaim>;
}

/** Pods that cannot be placed. As a source, it makes them ready when something happens that may help them. */
export class WaitingPods implements Source {
  readonly #followed: Followed;
  readonly #waiting = new Map<string, Change>();

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  set(key: string, waitsFor: Change): void {
    this.#waiting.set(key, waitsFor);
  }

  delete(key: string): void {
    this.#waiting.delete(key);
  }

  subscribe(enqueue: (key: string) => void): () => void {
    const { nodes, pods, claims } = this.#followed;
    const retry = (change: Change): void => {
      for (const [key, waitsFor] of this.#waiting) {
        if (waitsFor === change || (change === 'nodes' && waitsFor === 'pods')) enqueue(key);
      }
    };
    const ends = [
      nodes.informer.addHandler({
        onAdd: () => retry('nodes'),
        onUpdate: (node, old) => {
          if (mayHelp(node, old)) retry('nodes');
        },
      }),
      claims.informer.addHandler({ onAdd: () => retry('claims') }),
      pods.informer.addHandler({
        onAdd: (pod) => {
          if (pod.spec?.nodeName !== undefined) retry('pods');
        },
        onUpdate: (pod, old) => {
          const hasEnded = isFinished(pod) && !isFinished(old);
          const isMoved = pod.spec?.nodeName !== old.spec?.nodeName;
          if (hasEnded || isMoved || takesOther(pod, old)) retry('pods');
        },
        onDelete: (pod) => {
          this.#waiting.delete(objectKey(pod));
          retry('pods');
        },
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    const { nodes, pods, claims } = this.#followed;
    await Promise.all([nodes, pods, claims].map(({ informer }) => informer.whenSynced(signal)));
  }
}

/** Whether a pod takes other resources of its node than before: it was resized. */
function takesOther(pod: Pod, old: Pod): boolean {
  // Only a specification that was changed can ask for others.
  if ((pod.metadata.generation ?? 0) <= 1) return false;
  return !isDeepStrictEqual(placedRequests(pod), placedRequests(old));
}

/** Whether a change of a node may make room for a pod: not each heartbeat does. */
function mayHelp(node: Node, old: Node): boolean {
  return (
    !equivalentJson(node.spec, old.spec) ||
    !equivalentJson(node.metadata.labels, old.metadata.labels) ||
    !equivalentJson(node.status?.allocatable, old.status?.allocatable)
  );
}
