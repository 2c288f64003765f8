import type { Pod, PodTemplateSpec, StatefulSet } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import { omitZero } from '../shared/omit-zero.ts';
import { isAvailable, isReady, nextAvailabilityMs } from '../shared/pods.ts';
import {
  CONTROLLER_REVISION_HASH,
  decideRevision,
  type RevisionDecision,
  surplusRevisions,
  templateOfRevision,
} from '../shared/revisions.ts';
import type { ControllerRevision, StatefulSetStatus } from '../shared/types.ts';
import { newStatefulPod, ordinalOf, startOrdinal } from './identity.ts';

const REVISION_HASH_LABEL = 'controller.kubernetes.io/hash';

/** Everything one pass for a stateful set looks at. */
export interface ObservedStatefulSet {
  readonly set: StatefulSet;
  /** Pods the set owns, in whatever state. */
  readonly pods: readonly Pod[];
  /** Controller revisions the set owns. */
  readonly revisions: readonly ControllerRevision[];
  readonly nowMs: number;
}

/** A pod to be removed. */
export interface Removal {
  readonly pod: Pod;
}

/** One step; after creating or deleting pods one decides again before the status is written. */
export interface StatefulSetStep {
  readonly revision: RevisionDecision | undefined;
  readonly create: readonly { readonly pod: Pod; readonly ordinal: number }[];
  readonly delete: readonly Removal[];
  readonly status: StatefulSetStatus;
  /** Revisions beyond the history limit. */
  readonly deleteRevisions: readonly ControllerRevision[];
  readonly requeueAfterMs: number | undefined;
}

/** Names of the two revisions a set is between, and the templates of pods made from them. */
interface Versions {
  readonly decision: RevisionDecision;
  readonly current: string;
  readonly update: string;
  readonly currentTemplate: PodTemplateSpec;
  readonly updateTemplate: PodTemplateSpec;
}

/** The next step of a stateful set (Kubernetes' stateful set control: identity, order, partitioned updates). */
export function decideStatefulSet(observed: ObservedStatefulSet): StatefulSetStep {
  const { set, pods, revisions, nowMs } = observed;
  const versions = chooseVersions(set, revisions);
  const { replicas, condemned } = sortPods(set, pods);
  const isGoing = set.metadata.deletionTimestamp !== undefined;
  const moves = isGoing ? { create: [], delete: [] } : decideMoves(observed, versions, replicas, condemned);
  const inUse = new Set([versions.current, versions.update, ...pods.map(revisionOf)]);
  return {
    revision: isGoing ? undefined : versions.decision,
    ...moves,
    status: statusOf(observed, versions),
    deleteRevisions: isGoing ? [] : surplusRevisions(revisions, inUse, set.spec?.revisionHistoryLimit ?? 10),
    requeueAfterMs: nextAvailabilityMs(pods, set.spec?.minReadySeconds ?? 0, nowMs),
  };
}

function chooseVersions(set: StatefulSet, revisions: readonly ControllerRevision[]): Versions {
  const updateTemplate = set.spec?.template ?? {};
  const decision = decideRevision(STATEFUL_SETS, set, revisions, REVISION_HASH_LABEL);
  const update = decision.update.metadata.name;
  const present = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  return {
    decision,
    current: present?.metadata.name ?? update,
    update,
    currentTemplate: (present === undefined ? undefined : templateOfRevision(present)) ?? updateTemplate,
    updateTemplate,
  };
}

function revisionOf(pod: Pod): string {
  return pod.metadata.labels?.[CONTROLLER_REVISION_HASH] ?? '';
}

/** Pods by place: those the set wants, in order, and those beyond, highest first. */
function sortPods(
  set: StatefulSet,
  pods: readonly Pod[],
): { readonly replicas: ReadonlyMap<number, Pod>; readonly condemned: readonly Pod[] } {
  const start = startOrdinal(set);
  const end = start + (set.spec?.replicas ?? 1);
  const replicas = new Map<number, Pod>();
  const beyond: (readonly [number, Pod])[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (ordinal >= start && ordinal < end) replicas.set(ordinal, pod);
    else beyond.push([ordinal, pod]);
  }
  const condemned = beyond.sort(([left], [right]) => right - left).map(([, pod]) => pod);
  return { replicas, condemned };
}

function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isReady(pod);
}

function isHealthy(pod: Pod): boolean {
  return isRunningAndReady(pod) && !isBeingDeleted(pod);
}

type Moves = Pick<StatefulSetStep, 'create' | 'delete'>;

/**
 * Which pods to create or delete now. Ordered sets (OrderedReady) do one thing at a time and wait until every earlier pod
 * is there, running, ready and available; parallel ones do all at once. Updates go from the highest number down, one pod
 * at a time.
 */
function decideMoves(
  observed: ObservedStatefulSet,
  versions: Versions,
  replicas: ReadonlyMap<number, Pod>,
  condemned: readonly Pod[],
): Moves {
  const { set, nowMs } = observed;
  const isOrdered = set.spec?.podManagementPolicy !== 'Parallel';
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const create: { pod: Pod; ordinal: number }[] = [];
  const remove: Removal[] = [];
  const moves: Moves = { create, delete: remove };
  const start = startOrdinal(set);
  const end = start + (set.spec?.replicas ?? 1);

  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = replicas.get(ordinal);
    if (pod === undefined) {
      create.push({ pod: makePod(set, versions, ordinal), ordinal });
      if (isOrdered) return moves;
      continue;
    }
    if (isFinished(pod)) {
      if (!isBeingDeleted(pod)) remove.push({ pod });
      if (isOrdered) return moves;
      continue;
    }
    if (isOrdered && (!isHealthy(pod) || !isAvailable(pod, minReadySeconds, nowMs))) return moves;
  }

  const firstUnhealthy = [...replicas.values(), ...condemned.toReversed()].find((pod) => !isHealthy(pod));
  for (const pod of condemned) {
    if (isBeingDeleted(pod)) {
      if (isOrdered) return moves;
      continue;
    }
    if (isOrdered && !isRunningAndReady(pod) && pod !== firstUnhealthy) return moves;
    remove.push({ pod });
    if (isOrdered) return moves;
  }
  if (set.spec?.updateStrategy?.type === 'OnDelete' || create.length > 0) return moves;

  const lowest = start + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
  for (let ordinal = end - 1; ordinal >= lowest; ordinal--) {
    const pod = replicas.get(ordinal);
    if (pod === undefined) return moves;
    if (revisionOf(pod) !== versions.update && !isBeingDeleted(pod)) {
      if (!remove.some((removal) => removal.pod === pod)) remove.push({ pod });
      return moves;
    }
    if (!isHealthy(pod)) return moves;
  }
  return moves;
}

/** Pods below the partition are made from the revision they had, the others from the new one. */
function makePod(set: StatefulSet, versions: Versions, ordinal: number): Pod {
  const { updateStrategy } = set.spec ?? {};
  const isRolling = updateStrategy?.type !== 'OnDelete';
  const kept = updateStrategy?.rollingUpdate?.partition ?? set.status?.currentReplicas ?? 0;
  return isRolling && ordinal < startOrdinal(set) + kept
    ? newStatefulPod(set, versions.currentTemplate, versions.current, ordinal)
    : newStatefulPod(set, versions.updateTemplate, versions.update, ordinal);
}

function statusOf(observed: ObservedStatefulSet, versions: Versions): StatefulSetStatus {
  const { set, nowMs } = observed;
  const pods = observed.pods.filter((pod) => ordinalOf(set, pod) !== undefined);
  const { current, update } = versions;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const ready = pods.filter(isRunningAndReady);
  const staying = pods.filter((pod) => !isBeingDeleted(pod));
  const wanted = set.spec?.replicas ?? 1;
  const { collisionCount } = set.status ?? {};
  const counted = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length,
    currentReplicas: staying.filter((pod) => revisionOf(pod) === current).length,
    updatedReplicas: staying.filter((pod) => revisionOf(pod) === update).length,
    currentRevision: current,
    updateRevision: update,
    collisionCount: collisionCount ?? 0,
  };
  const isUpdated =
    set.spec?.updateStrategy?.type !== 'OnDelete' &&
    counted.updatedReplicas === wanted &&
    counted.readyReplicas === wanted &&
    counted.replicas === wanted;
  if (isUpdated) {
    counted.currentRevision = update;
    counted.currentReplicas = counted.updatedReplicas;
  }
  return omitZero<StatefulSetStatus>(counted, 'replicas', 'availableReplicas', 'collisionCount');
}
