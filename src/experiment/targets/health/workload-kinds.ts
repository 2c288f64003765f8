import type { KubeObject } from '@turnsole/kube/kinds/core';
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
} from '@turnsole/kube/kinds/resources';
import { DEPLOYMENT_CONFIGS, ROLLOUTS } from '../../../api/index.ts';

/** Workload kinds whose wanted number of pods is known, by their words in TARGETS. */
export const WORKLOAD_KINDS: ReadonlyMap<string, Resource> = new Map(
  [
    DEPLOYMENTS,
    STATEFUL_SETS,
    DAEMON_SETS,
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    ROLLOUTS,
    DEPLOYMENT_CONFIGS,
  ].map((resource) => [resource.kind.toLowerCase(), resource]),
);

/** How many pods a workload wants; undefined where its kind does not say. Pure. */
export function wantedPods(workload: KubeObject): number | undefined {
  // Workloads of six kinds, some of them custom: only these two numbers are read, and checked.
  const { spec, status } = workload as {
    spec?: { replicas?: unknown };
    status?: { desiredNumberScheduled?: unknown };
  };
  const wanted = status?.desiredNumberScheduled ?? spec?.replicas;
  if (typeof wanted === 'number') return wanted;
  return undefined;
}
