import { type Node, objectKey, type Pod } from '../../../api/core.ts';
import { NODES, PODS } from '../../../api/resources.ts';
import { isConflict } from '../../../kube/client/errors.ts';
import { type Controller, fromMapped, fromObjects, type Source } from '../../../kube/runtime/index.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import type { FreshView } from '../shared/fresh-view.ts';
import { BY_NODE } from '../shared/informers.ts';
import { isFinished } from '../shared/pods.ts';
import { orphanedStatus, surplusPods } from './decide-pod-gc.ts';

/** Key of the pass that counts finished pods; node names have no slash either, but no colon. */
const FINISHED = 'finished:';

/** Removes pods whose node is gone, pods that go but were never bound, and finished pods beyond the limit. */
export function podGcController(context: ControllerContext): Controller {
  const { informers, writer, client, clock, options } = context;
  const pods = informers.view<Pod>(PODS);
  const nodes = informers.view<Node>(NODES);
  /** When each missing node was first missed. */
  const missingSince = new Map<string, number>();

  async function removeFinished(signal: AbortSignal): Promise<void> {
    for (const pod of surplusPods(pods.list(), options.finishedPodLimit)) {
      await writer.delete<Pod>(PODS, pod, signal, { gracePeriodSeconds: 0 });
    }
  }

  async function removeOrphans(
    node: string,
    signal: AbortSignal,
  ): Promise<{ requeueAfterMs: number } | undefined> {
    const orphans = pods.byIndex(BY_NODE, node);
    if (orphans.length === 0 || nodes.get(node) !== undefined) {
      missingSince.delete(node);
      return undefined;
    }
    const since = missingSince.get(node) ?? clock.now();
    missingSince.set(node, since);
    // A node that registers anew keeps its pods.
    const wait = since + options.nodeGraceMs - clock.now();
    if (wait > 0) return { requeueAfterMs: wait };
    if ((await client.find<Node>(NODES, node, { signal })) !== undefined) return undefined;
    for (const pod of orphans) {
      const status = orphanedStatus(pod, clock.now());
      if (status !== undefined) await markFailed({ ...pod, status }, signal);
      await writer.delete<Pod>(PODS, pod, signal, { gracePeriodSeconds: 0 });
    }
    missingSince.delete(node);
    return undefined;
  }

  async function markFailed(pod: Pod, signal: AbortSignal): Promise<void> {
    try {
      await writer.updateStatus<Pod>(PODS, pod, signal);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }

  return createController(context, {
    name: 'pod-gc',
    sources: [
      fromFinished(pods, options.finishedPodLimit),
      fromObjects(nodes.informer),
      fromMapped(pods.informer, ({ spec }) => {
        const node = spec?.nodeName ?? '';
        return node === '' || nodes.get(node) !== undefined ? [] : [node];
      }),
    ],
    reconcile: async ({ key }, signal) => {
      if (key !== FINISHED) return removeOrphans(key, signal);
      await removeFinished(signal);
      return undefined;
    },
  });
}

/** Reports when there are more finished pods than allowed. */
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
