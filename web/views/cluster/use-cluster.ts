import { applyChange } from '../../models/run/objects.ts';
import { useWatch } from '../use-watch.ts';
import { CLUSTER_OBJECTS, type ShownObject } from './generated/cluster.ts';

/** The objects of runs, and how many there are besides. */
export interface ClusterObjects {
  readonly objects: readonly ShownObject[];
  readonly total: number;
  /** Of all of them. */
  readonly namespaces: readonly string[];
}

/**
 * The objects of runs in the cluster that the server watches, now and after each change.
 *
 * @param newest how many. @default all
 */
export function useClusterObjects(newest?: number) {
  return useWatch(
    CLUSTER_OBJECTS,
    newest === undefined ? {} : { newest },
    (kept: ClusterObjects | undefined, { watchClusterObjects: change }): ClusterObjects => ({
      objects: applyChange(kept?.objects ?? [], change),
      total: change.total,
      namespaces: change.namespaces,
    }),
    ({ total }) => total === 0,
  );
}
