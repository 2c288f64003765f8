import { applyChange } from '../../models/run/objects.ts';
import { useWatch } from '../use-watch.ts';
import {
  CLUSTER_OBJECTS,
  CLUSTER_RUN,
  type ClusterRunSubscriptionVariables as ObjectName,
  type ShownClusterRun,
  type ShownObject,
} from './generated/cluster.ts';

const NO_VARIABLES = {};

/** The objects of runs in the cluster that the server watches, now and after each change. */
export function useClusterObjects() {
  return useWatch(
    CLUSTER_OBJECTS,
    NO_VARIABLES,
    (kept: readonly ShownObject[] | undefined, { watchClusterObjects }) =>
      applyChange(kept ?? [], watchClusterObjects),
    (objects) => objects.length === 0,
  );
}

/** A run of that cluster, now and after each change. */
export function useClusterRun(name: ObjectName) {
  return useWatch(
    CLUSTER_RUN,
    name,
    (_before: ShownClusterRun | undefined, { watchClusterRun }) => watchClusterRun,
  );
}
