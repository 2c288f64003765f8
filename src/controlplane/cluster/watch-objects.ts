import { Wake } from '@turnsole/kube/base/wake';
import type { ClusterChange, ClusterKind, ClusterObject } from '../schema/generated/types.ts';
import { chaosAround, versionAround } from './chaos-around.ts';
import { asClusterObject, objectId } from './cluster-object.ts';
import type { ChaosAround } from './object-state.ts';
import { CLUSTER_KINDS, type ObservedCluster } from './observed-cluster.ts';

/** Selects objects. */
interface ObjectSelection {
  readonly kinds?: readonly ClusterKind[] | null | undefined;
  readonly namespace?: string | null | undefined;
}

/** Present objects, the newest first. */
export async function listObjects(
  cluster: ObservedCluster,
  selection: ObjectSelection,
  signal: AbortSignal,
): Promise<readonly ClusterObject[]> {
  await cluster.answered(signal);
  const around = chaosAround(cluster);
  return selected(cluster, selection, around)
    .map(({ kind, object }) => asClusterObject(kind, object, around))
    .toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? -1 : 1));
}

/** All objects, then each change, until the signal aborts. A slow reader gets several changes in one event. */
export async function* watchObjects(
  cluster: ObservedCluster,
  selection: ObjectSelection,
  signal: AbortSignal,
): AsyncGenerator<ClusterChange> {
  await cluster.answered(signal);
  const woken = new Wake();
  const leave = cluster.onChange(woken.wake);
  try {
    let sentVersions: ReadonlyMap<string, string> | undefined;
    while (!signal.aborted) {
      const around = chaosAround(cluster);
      const present = selected(cluster, selection, around);
      const versions = new Map(present.map(({ id, version }) => [id, version]));
      const objects = present.filter(({ id, version }) => sentVersions?.get(id) !== version);
      const removed = [...(sentVersions?.keys() ?? [])].filter((id) => !versions.has(id));
      const complete = sentVersions === undefined;
      sentVersions = versions;
      if (complete || objects.length > 0 || removed.length > 0) {
        yield {
          objects: objects.map(({ kind, object }) => asClusterObject(kind, object, around)),
          removed,
          complete,
        };
      }
      await woken.rest(undefined, signal);
    }
  } finally {
    leave();
  }
}

function selected(cluster: ObservedCluster, { kinds, namespace }: ObjectSelection, around: ChaosAround) {
  return (kinds ?? CLUSTER_KINDS).flatMap((kind) =>
    cluster
      .list(kind)
      .filter(
        ({ metadata }) => namespace === null || namespace === undefined || metadata.namespace === namespace,
      )
      .map((object) => ({
        kind,
        object,
        id: objectId(kind, object),
        version: versionAround(kind, object, around),
      })),
  );
}
