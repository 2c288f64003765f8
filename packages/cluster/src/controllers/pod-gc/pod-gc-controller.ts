import { isConflict, unless } from '@turnsole/kube/client/errors';
import { ControllerBase } from '@turnsole/kube/controllers/controller';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import { type Node, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { NODES, PODS } from '@turnsole/kube/kinds/resources';
import {
  fromMapped,
  fromObjects,
  type ReconcileRequest,
  type ReconcileResult,
  type Source,
} from '@turnsole/kube/runtime/index';
import type { ClusterContext } from '../shared/cluster-context.ts';
import { BY_NODE } from '../shared/pod-indexes.ts';
import { isGoingUnbound, orphanedStatus, surplusPods } from './decide-pod-gc.ts';

/** Key of the pass that counts finished pods; node names have no slash either, but no colon. */
const FINISHED = 'finished:';
/** Before the key of a pod that goes and was never bound. */
const UNBOUND = 'unbound:';

/** Removes pods whose node is gone, pods that go but were never bound, and finished pods beyond the limit. */
export class PodGcController extends ControllerBase<ClusterContext> {
  readonly name = 'pod-gc';
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #nodes = this.context.informers.view<Node>(NODES);
  /** When each missing node was first missed. */
  readonly #missingSince = new Map<string, number>();
  readonly sources = [
    fromFinished(this.#pods, this.context.options.finishedPodLimit),
    fromObjects(this.#nodes.informer),
    fromMapped(this.#pods.informer, ({ spec }) => {
      const node = spec?.nodeName ?? '';
      return node === '' || this.#nodes.get(node) !== undefined ? [] : [node];
    }),
    fromMapped(this.#pods.informer, (pod) => (isGoingUnbound(pod) ? [`${UNBOUND}${objectKey(pod)}`] : [])),
  ];

  async reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (key.startsWith(UNBOUND)) return this.#endUnbound(this.#pods.get(key.slice(UNBOUND.length)), signal);
    if (key !== FINISHED) return this.#removeOrphans(key, signal);
    for (const pod of surplusPods(this.#pods.list(), this.context.options.finishedPodLimit)) {
      await this.context.writer.delete<Pod>(PODS, pod, signal, { gracePeriodSeconds: 0 });
    }
    return undefined;
  }

  /** It has failed, by which the controller that counts it knows how it ended. */
  async #endUnbound(pod: Pod | undefined, signal: AbortSignal): Promise<undefined> {
    if (pod === undefined || !isGoingUnbound(pod)) return;
    const { writer } = this.context;
    const status = { ...pod.status, phase: 'Failed' };
    await unless(isConflict, writer.setStatus<Pod>(PODS, pod, status, signal));
    await writer.delete<Pod>(PODS, pod, signal, { gracePeriodSeconds: 0 });
  }

  async #removeOrphans(node: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { client, clock, options, writer } = this.context;
    const orphans = this.#pods.byIndex(BY_NODE, node);
    if (orphans.length === 0 || this.#nodes.get(node) !== undefined) {
      this.#missingSince.delete(node);
      return undefined;
    }
    const since = this.#missingSince.get(node) ?? clock.monotonic();
    this.#missingSince.set(node, since);
    // A node that registers anew keeps its pods.
    const wait = since + options.nodeGraceMs - clock.monotonic();
    if (wait > 0) return { requeueAfterMs: wait };
    if ((await client.find<Node>(NODES, node, { signal })) !== undefined) return undefined;
    for (const pod of orphans) {
      const status = orphanedStatus(pod, clock.now());
      if (status !== undefined) await unless(isConflict, writer.setStatus<Pod>(PODS, pod, status, signal));
      await writer.delete<Pod>(PODS, pod, signal, { gracePeriodSeconds: 0 });
    }
    this.#missingSince.delete(node);
    return undefined;
  }
}

/** Reports when the cluster has more finished pods than allowed. */
function fromFinished(pods: FreshView<Pod>, limit: number): Source {
  return {
    subscribe: (enqueue) => {
      const finished = new Set<string>();
      const look = (pod: Pod): void => {
        if (!isFinished(pod)) return;
        finished.add(objectKey(pod));
        if (finished.size > limit) enqueue(FINISHED);
      };
      return pods.informer.addHandler({
        onAdd: look,
        onUpdate: look,
        onDelete: (pod) => finished.delete(objectKey(pod)),
      });
    },
    whenSynced: (signal) => pods.informer.whenSynced(signal),
  };
}
