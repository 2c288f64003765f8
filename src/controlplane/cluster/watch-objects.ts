import { Wake } from '@turnsole/kube/base/wake';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { Refusal } from '../access/refusal.ts';
import type { ClusterChange, ClusterKind, ClusterObject } from '../schema/generated/types.ts';
import { chaosAround, versionAround } from './chaos-around.ts';
import { asClusterObject, objectId, parentId } from './cluster-object.ts';
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
  return selected(cluster, selection)
    .map(({ kind, object }) => asClusterObject(kind, object, around))
    .toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? -1 : 1));
}

/**
 * All objects, then each change, until the signal aborts; with `newest` only that many, with what they belong to. A slow reader gets several
 * changes in one event. @throws Refusal for fewer than one
 */
export async function* watchObjects(
  cluster: ObservedCluster,
  { newest, ...selection }: ObjectSelection & { readonly newest?: number | null | undefined },
  signal: AbortSignal,
): AsyncGenerator<ClusterChange> {
  const most = newest ?? Number.POSITIVE_INFINITY;
  if (most < 1) throw new Refusal('invalid', 'newest must be 1 or more', { fields: ['newest'] });
  await cluster.answered(signal);
  const woken = new Wake();
  const leave = cluster.onChange(woken.wake);
  try {
    let sentVersions: ReadonlyMap<string, string> | undefined;
    let sentTotal = 0;
    while (!signal.aborted) {
      const around = chaosAround(cluster);
      const all = selected(cluster, selection);
      const present = newestOf(all, most);
      const versions = new Map(
        present.map(({ id, kind, object }) => [id, versionAround(kind, object, around)]),
      );
      const objects = present.filter(({ id }) => sentVersions?.get(id) !== versions.get(id));
      const removed = [...(sentVersions?.keys() ?? [])].filter((id) => !versions.has(id));
      const complete = sentVersions === undefined;
      const isOther = all.length !== sentTotal;
      sentVersions = versions;
      sentTotal = all.length;
      if (complete || isOther || objects.length > 0 || removed.length > 0) {
        yield {
          objects: objects.map(({ kind, object }) => asClusterObject(kind, object, around)),
          removed,
          complete,
          total: all.length,
          namespaces: [...new Set(all.map(({ object }) => object.metadata.namespace ?? ''))].toSorted(),
        };
      }
      await woken.rest(undefined, signal);
    }
  } finally {
    leave();
  }
}

/** An object of the cluster with its ID. */
interface Selected {
  readonly kind: ClusterKind;
  readonly object: KubeObject;
  readonly id: string;
}

/**
 * The newest so many objects, and of the others those that these belong to: a list shows a result by itself only where its engine is gone.
 * Pure.
 */
export function newestOf(all: readonly Selected[], most: number): readonly Selected[] {
  if (all.length <= most) return all;
  const newest = all
    .toSorted((a, b) => (madeAt(a) < madeAt(b) ? 1 : madeAt(a) > madeAt(b) ? -1 : a.id < b.id ? -1 : 1))
    .slice(0, most);
  const kept = new Map(newest.map((one) => [one.id, one]));
  const byId = new Map(all.map((one) => [one.id, one]));
  for (const one of newest) {
    for (let parent = byId.get(parentOf(one)); parent !== undefined && !kept.has(parent.id); ) {
      kept.set(parent.id, parent);
      parent = byId.get(parentOf(parent));
    }
  }
  return [...kept.values()];
}

/** In RFC 3339, which sorts as text. */
function madeAt({ object }: Selected): string {
  return object.metadata.creationTimestamp ?? '';
}

function parentOf({ kind, object }: Selected): string {
  return parentId(kind, object) ?? '';
}

function selected(cluster: ObservedCluster, { kinds, namespace }: ObjectSelection): readonly Selected[] {
  return (kinds ?? CLUSTER_KINDS).flatMap((kind) =>
    cluster
      .list(kind)
      .filter(
        ({ metadata }) => namespace === null || namespace === undefined || metadata.namespace === namespace,
      )
      .map((object) => ({ kind, object, id: objectId(kind, object) })),
  );
}
