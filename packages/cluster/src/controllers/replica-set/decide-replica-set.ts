import { setConditionAt, withoutCondition } from '@turnsole/kube/kinds/conditions';
import type { Pod, ReplicaSet } from '@turnsole/kube/kinds/core';
import { isActive, isFinished } from '@turnsole/kube/kinds/pod-phase';
import { hasLabels } from '@turnsole/kube/text/label-selector';
import { orderForDeletion } from '../shared/deletion-order.ts';
import { omitZero } from '../shared/omit-zero.ts';
import { isAvailable, isReady, nextAvailabilityMs } from '../shared/pods.ts';
import type { ReplicaSetCondition, ReplicaSetStatus } from '../shared/types.ts';

/** Most pods created or deleted in one pass, so that one huge set does not delay other sets. */
const REPLICA_SET_BURST = 500;

/** Everything one pass for a replica set looks at. */
interface ObservedReplicaSet {
  readonly replicaSet: ReplicaSet;
  /** Pods the set owns, in whatever state. */
  readonly pods: readonly Pod[];
  /** Pods of all sets of the same owner, this one's among them; they weigh how crowded a node is. */
  readonly siblings: readonly Pod[];
  readonly nowMs: number;
}

/** The pods to create or delete to reach the wanted number. */
interface ReplicaSetScaling {
  readonly create: number;
  /** First to go first. */
  readonly delete: readonly Pod[];
}

/** How many pods the set lacks, or which ones are too many. A set that is going does neither. */
export function decideReplicaSetScaling(observed: ObservedReplicaSet): ReplicaSetScaling {
  const { replicaSet, pods, siblings, nowMs } = observed;
  const active = pods.filter(isActive);
  const difference = active.length - (replicaSet.spec?.replicas ?? 1);
  if (replicaSet.metadata.deletionTimestamp !== undefined || difference === 0) {
    return { create: 0, delete: [] };
  }
  if (difference < 0) return { create: Math.min(-difference, REPLICA_SET_BURST), delete: [] };
  const count = Math.min(difference, REPLICA_SET_BURST);
  const ordered = orderForDeletion(active, siblings.filter(isActive), nowMs);
  return { create: 0, delete: ordered.slice(0, count) };
}

/** The status of the set, and when it changes by the mere passing of time. */
interface ReplicaSetStanding {
  readonly status: ReplicaSetStatus;
  readonly requeueAfterMs: number | undefined;
}

/** A failure to create or delete pods, as it stands in the ReplicaFailure condition. */
export interface ScalingFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isFinished(pod);
}

/** The status that these pods and the outcome of the scaling give. */
export function replicaSetStatus(
  observed: Omit<ObservedReplicaSet, 'siblings'>,
  failure: ScalingFailure | undefined,
): ReplicaSetStanding {
  const { replicaSet, pods, nowMs } = observed;
  const active = pods.filter(isActive);
  const minReadySeconds = replicaSet.spec?.minReadySeconds ?? 0;
  const templateLabels = replicaSet.spec?.template?.metadata?.labels ?? {};
  const conditions = conditionsAfter(replicaSet, failure, nowMs);
  return {
    status: omitZero<ReplicaSetStatus>(
      {
        replicas: active.length,
        fullyLabeledReplicas: active.filter((pod) => hasLabels(templateLabels, pod.metadata.labels)).length,
        readyReplicas: active.filter(isReady).length,
        availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length,
        terminatingReplicas: pods.filter(isTerminating).length,
        observedGeneration: replicaSet.metadata.generation ?? 0,
        ...(conditions.length === 0 ? {} : { conditions }),
      },
      'replicas',
      'terminatingReplicas',
    ),
    requeueAfterMs: nextAvailabilityMs(active, minReadySeconds, nowMs),
  };
}

/** The first failure is kept until scaling works again: its time says since when. */
function conditionsAfter(
  replicaSet: ReplicaSet,
  failure: ScalingFailure | undefined,
  nowMs: number,
): ReplicaSetCondition[] {
  const present = replicaSet.status?.conditions;
  if (failure === undefined) return withoutCondition(present, 'ReplicaFailure');
  if (present?.some((condition) => condition.type === 'ReplicaFailure')) return present;
  return setConditionAt<ReplicaSetCondition>(
    present,
    { type: 'ReplicaFailure', status: 'True', ...failure },
    nowMs,
  );
}
