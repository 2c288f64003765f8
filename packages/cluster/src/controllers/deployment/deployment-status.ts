import { findCondition, withoutCondition } from '@turnsole/kube/kinds/conditions';
import type { Deployment, ReplicaSet } from '@turnsole/kube/kinds/core';
import { metaTime, parseTime } from '@turnsole/kube/text/time';
import { omitZero } from '../shared/omit-zero.ts';
import type { DeploymentCondition, DeploymentStatus, ReplicaSetStatus } from '../shared/types.ts';
import { rolloutBounds, wantedReplicas } from './rollout-size.ts';

/** A deadline of this value means none (API: the largest int32). */
const NO_DEADLINE = 2147483647;

/** A condition as decided, before its times are set. */
type Verdict = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Sum of a count over replica sets. */
function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((total, set) => total + (count(set) ?? 0), 0);
}

/** Pods of a set that are on their way out, as its own controller counted them. */
function terminatingReplicas({ status }: ReplicaSet): number | undefined {
  return (status as ReplicaSetStatus | undefined)?.terminatingReplicas; // younger than the published types
}

/** Conditions with one set: unchanged when status and reason are; its transition time kept when the status is. */
export function withVerdict(
  conditions: readonly DeploymentCondition[],
  verdict: Verdict,
  nowMs: number,
  refresh = false,
): DeploymentCondition[] {
  const present = findCondition(conditions, verdict.type);
  if (present?.status === verdict.status && present.reason === verdict.reason && !refresh)
    return [...conditions];
  const now = metaTime(nowMs);
  const condition: DeploymentCondition = {
    ...verdict,
    lastUpdateTime: now,
    lastTransitionTime:
      present !== undefined && present.status === verdict.status ? (present.lastTransitionTime ?? now) : now,
  };
  return [...withoutCondition(conditions, verdict.type), condition];
}

/** Counts and the Available condition; the other conditions are as they were. */
export function countReplicas(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  nowMs: number,
): DeploymentStatus {
  const availableReplicas = sum(all, (set) => set.status?.availableReplicas);
  const minAvailable = wantedReplicas(deployment) - rolloutBounds(deployment).maxUnavailable;
  const isAvailable = availableReplicas >= minAvailable;
  const verdict: Verdict = {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
  };
  const collisionCount = deployment.status?.collisionCount;
  return omitZero<DeploymentStatus>(
    {
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sum(all, (set) => set.status?.replicas),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(all, (set) => set.status?.readyReplicas),
      availableReplicas,
      unavailableReplicas: Math.max(0, sum(all, wantedReplicas) - availableReplicas),
      terminatingReplicas: sum(all, terminatingReplicas),
      collisionCount,
      conditions: withVerdict(deployment.status?.conditions ?? [], verdict, nowMs),
    },
    'terminatingReplicas',
  );
}

/** Whether the present template has reached every replica and nothing of an older one is left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Seconds without progress after which a rollout counts as failed; `undefined` without such a limit. */
export function progressDeadlineSeconds(deployment: Deployment): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds ?? 600;
  return seconds === NO_DEADLINE ? undefined : seconds;
}

/** Whether anything moved forward between two statuses. */
function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const count = (
    status: DeploymentStatus | undefined,
    field: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas',
  ) => status?.[field] ?? 0;
  const oldPods = (status: DeploymentStatus | undefined) =>
    (status?.replicas ?? 0) - count(status, 'updatedReplicas');
  return (
    count(after, 'updatedReplicas') > count(before, 'updatedReplicas') ||
    oldPods(after) < oldPods(before) ||
    count(after, 'readyReplicas') > count(before, 'readyReplicas') ||
    count(after, 'availableReplicas') > count(before, 'availableReplicas')
  );
}

/** The status with Progressing and ReplicaFailure judged, and when the progress deadline has to be looked at again. */
export function judgeProgress(
  deployment: Deployment,
  counted: DeploymentStatus,
  current: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  nowMs: number,
): { readonly status: DeploymentStatus; readonly requeueAfterMs: number | undefined } {
  const deadline = progressDeadlineSeconds(deployment);
  const before = counted.conditions ?? [];
  let conditions = deadline === undefined ? withoutCondition(before, 'Progressing') : before;
  const present = findCondition(conditions, 'Progressing');
  const wasComplete =
    counted.replicas === counted.updatedReplicas && present?.reason === 'NewReplicaSetAvailable';
  if (deadline !== undefined && !wasComplete) {
    const subject =
      current === undefined
        ? `Deployment "${deployment.metadata.name}"`
        : `ReplicaSet "${current.metadata.name}"`;
    // The first pass makes the replica set, and knows it only in the next one.
    if (current !== undefined && isComplete(deployment, counted)) {
      const done = progressing('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`);
      conditions = withVerdict(conditions, done, nowMs);
    } else if (hasProgressed(deployment.status, counted)) {
      const moved = progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`);
      conditions = withVerdict(conditions, moved, nowMs, true);
    } else if (hasTimedOut(present, deadline, nowMs)) {
      const late = progressing('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`);
      conditions = withVerdict(conditions, late, nowMs);
    }
  }
  const status = { ...counted, conditions: withReplicaFailure(conditions, current, all, nowMs) };
  return { status, requeueAfterMs: untilDeadline(deployment, status, deadline, nowMs) };
}

function progressing(status: 'True' | 'False', reason: string, message: string): Verdict {
  return { type: 'Progressing', status, reason, message };
}

function hasTimedOut(
  condition: DeploymentCondition | undefined,
  deadlineSeconds: number,
  nowMs: number,
): boolean {
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  const since = parseTime(condition.lastUpdateTime);
  return since !== undefined && since + deadlineSeconds * 1000 < nowMs;
}

function untilDeadline(
  deployment: Deployment,
  status: DeploymentStatus,
  deadlineSeconds: number | undefined,
  nowMs: number,
): number | undefined {
  const condition = findCondition(status.conditions, 'Progressing');
  if (deadlineSeconds === undefined || condition === undefined) return undefined;
  if (isComplete(deployment, status) || condition.reason === 'ProgressDeadlineExceeded') return undefined;
  const since = parseTime(condition.lastUpdateTime) ?? nowMs;
  // One second more, because times have whole seconds and the deadline must be past, not met.
  return Math.max(0, since + deadlineSeconds * 1000 - nowMs) + 1000;
}

/** ReplicaFailure of the replica sets, the present one's first, becomes the deployment's. */
function withReplicaFailure(
  conditions: readonly DeploymentCondition[],
  current: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  nowMs: number,
): DeploymentCondition[] {
  const sets = current === undefined ? all : [current, ...all];
  for (const set of sets) {
    const failure = findCondition(set.status?.conditions, 'ReplicaFailure');
    if (failure === undefined) continue;
    const { status, reason = '', message = '' } = failure;
    return withVerdict(conditions, { type: 'ReplicaFailure', status, reason, message }, nowMs);
  }
  return withoutCondition(conditions, 'ReplicaFailure');
}
