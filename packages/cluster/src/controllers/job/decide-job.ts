import type { EventNote } from '@turnsole/kube/controllers/plan';
import { earlier } from '@turnsole/kube/controllers/plan';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { isActive, isFinished } from '@turnsole/kube/kinds/pod-phase';
import { metaTime, parseTime } from '@turnsole/kube/text/time';
import { orderForDeletion } from '../shared/deletion-order.ts';
import { isReady } from '../shared/pods.ts';
import type { JobCondition, JobStatus } from '../shared/types.ts';
import {
  continueStreak,
  type FailureStreak,
  hasTooManyRestarts,
  type JobBackoff,
  remainingBackoffMs,
} from './backoff.ts';
import {
  endOfIndexes,
  type IndexFailures,
  indexBackoffMs,
  indexFailures,
  isRemembered,
} from './index-failures.ts';
import { formatIndexes, parseIndexes } from './indexes.ts';
import {
  BACKOFF_LIMIT_EXCEEDED,
  boundEnd,
  COMPLETIONS_REACHED,
  DEADLINE_EXCEEDED,
  type JobEnd,
  jobCondition,
  terminalCondition,
  untilExpiryMs,
  withJobCondition,
} from './job-conditions.ts';
import {
  completionIndex,
  isFailed,
  isIndexed,
  isSuspended,
  isTracked,
  waitsForTermination,
  wantedCompletions,
} from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** Most pods created or deleted in one pass. */
const JOB_BURST = 500;

/** Everything one pass for a job looks at. */
export interface ObservedJob {
  readonly job: Job;
  /** Pods the job owns, in whatever state. */
  readonly pods: readonly Pod[];
  readonly streak: FailureStreak;
  readonly backoff: JobBackoff;
  readonly nowMs: number;
}

/**
 * One step of a job. Pods are created and deleted before a status is written, the status before finalizers are removed:
 * applying a step and deciding again leads on, and a crash in between loses no outcome.
 */
export interface JobStep {
  /** One per pod to be created: its completion index, or `undefined` in a job without indexes. */
  readonly create: readonly (number | undefined)[];
  /** How often each index has failed, in a job whose indexes have limits of their own. */
  readonly indexFailures?: ReadonlyMap<number, number>;
  readonly delete: readonly Pod[];
  /** Whether the deleted pods stop being counted (a suspended or shrunk job), so their finalizer is removed first. */
  readonly deleteUncounted: boolean;
  /** `undefined` when pods have to be created or deleted first. */
  readonly status: JobStatus | undefined;
  /** Pods that are counted once the status is stored: their finalizer is removed. */
  readonly release: readonly Pod[];
  /** Recorded when the status is stored. */
  readonly events: readonly EventNote[];
  /** The streak to remember when the status is stored. */
  readonly streak: FailureStreak;
  /** The job has outlived its time to live. */
  readonly expire: boolean;
  readonly requeueAfterMs: number | undefined;
}

/** Pods sorted and counted, as all parts of the decision need them. */
interface Tally {
  readonly active: readonly Pod[];
  readonly terminating: number;
  /** Ended and still to be counted. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  readonly succeededIndexes: ReadonlySet<number>;
  /** Where each index has a limit of its own. */
  readonly indexes: IndexFailures | undefined;
  readonly streak: FailureStreak;
  /** Status with the pods of earlier steps moved from uncounted to the counters. */
  readonly settled: JobStatus;
}

/** The next step of a job (Kubernetes' job controller with finalizer tracking). */
export function decideJob(observed: ObservedJob): JobStep {
  const { job, pods, nowMs } = observed;
  if (terminalCondition(job) !== undefined) {
    const wait = untilExpiryMs(job, nowMs);
    return {
      ...nothing(observed.streak),
      release: pods.filter(isTracked),
      expire: wait === 0,
      requeueAfterMs: wait === 0 ? undefined : wait,
    };
  }
  const tally = count(observed);
  const end = judgeEnd(observed, tally);
  const scaling = end === undefined ? scale(observed, tally) : removeActive(tally);
  if (scaling.create.length > 0 || scaling.delete.length > 0) {
    return { ...nothing(observed.streak), ...scaling };
  }
  // A job that ends waits for its pods, whose own watch events will come; a deadline that is over has no further event.
  const deadlineMs = end === undefined ? untilDeadlineMs(job, nowMs) : undefined;
  return writeStatus(observed, tally, end, earlier(scaling.requeueAfterMs, deadlineMs));
}

function nothing(streak: FailureStreak): JobStep {
  return {
    create: [],
    delete: [],
    deleteUncounted: false,
    status: undefined,
    release: [],
    events: [],
    streak,
    expire: false,
    requeueAfterMs: undefined,
  };
}

function count({ job, pods, streak }: ObservedJob): Tally {
  const settled = settle(job.status ?? {}, new Set(pods.filter(isTracked).map(uidOf)));
  const uncounted = {
    succeeded: new Set(settled.uncountedTerminatedPods?.succeeded),
    failed: new Set(settled.uncountedTerminatedPods?.failed),
  };
  const tracked = pods.filter(
    (pod) => isTracked(pod) && (!isIndexed(job) || completionIndex(job, pod) !== undefined),
  );
  const succeeded = tracked.filter(
    (pod) => pod.status?.phase === 'Succeeded' && !uncounted.succeeded.has(uidOf(pod)),
  );
  const indexes = indexFailures(job, pods);
  const active = pods.filter(isActive);
  const failed = tracked.filter(
    (pod) =>
      isFailed(job, pod) && !uncounted.failed.has(uidOf(pod)) && !isRemembered(job, pod, indexes, active),
  );
  const counting = failed.filter((pod) => judgeFailure(job.spec?.podFailurePolicy, pod).counts);
  const succeededIndexes = parseIndexes(job.status?.completedIndexes);
  if (isIndexed(job)) {
    for (const pod of succeeded) succeededIndexes.add(completionIndex(job, pod) ?? 0);
  }
  return {
    active,
    terminating: pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isFinished(pod))
      .length,
    newSucceeded: succeeded,
    newFailed: failed,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : (settled.succeeded ?? 0) + uncounted.succeeded.size + succeeded.length,
    failed: (settled.failed ?? 0) + uncounted.failed.size + counting.length,
    succeededIndexes,
    indexes,
    streak: continueStreak(streak, succeeded, failed),
    settled,
  };
}

function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? '';
}

/** Pods whose finalizer is gone move from the uncounted lists to the counters. */
function settle(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const still = (uids: readonly string[]) => uids.filter((uid) => tracked.has(uid));
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - still(succeeded).length,
    failed: (status.failed ?? 0) + failed.length - still(failed).length,
    uncountedTerminatedPods: { succeeded: still(succeeded), failed: still(failed) },
  };
}

/** Whether and how the job ends, apart from its completions, which also want no pod active. */
function judgeEnd(observed: ObservedJob, tally: Tally): JobEnd | undefined {
  const { job, pods, nowMs } = observed;
  const bound = boundEnd(job);
  if (bound !== undefined) return bound;
  for (const pod of pods) {
    const failJob = isFailed(job, pod) ? judgeFailure(job.spec?.podFailurePolicy, pod).failJob : undefined;
    if (failJob !== undefined) {
      return { interim: 'FailureTarget', reason: 'PodFailurePolicy', message: failJob };
    }
  }
  if (tally.failed > (job.spec?.backoffLimit ?? 6) || hasTooManyRestarts(job, pods))
    return BACKOFF_LIMIT_EXCEEDED;
  if (untilDeadlineMs(job, nowMs) === 0) return DEADLINE_EXCEEDED;
  const ofIndexes = endOfIndexes(job, tally.indexes, tally.succeededIndexes.size);
  if (ofIndexes !== undefined) return ofIndexes;
  return matchSuccessPolicy(job, tally.succeededIndexes);
}

function matchSuccessPolicy(job: Job, succeeded: ReadonlySet<number>): JobEnd | undefined {
  if (!isIndexed(job)) return undefined;
  for (const [index, rule] of (job.spec?.successPolicy?.rules ?? []).entries()) {
    const wanted = rule.succeededIndexes === undefined ? undefined : parseIndexes(rule.succeededIndexes);
    const met =
      wanted === undefined ? succeeded.size : [...wanted].filter((one) => succeeded.has(one)).length;
    if (met < (rule.succeededCount ?? wanted?.size ?? Number.POSITIVE_INFINITY)) continue;
    return {
      interim: 'SuccessCriteriaMet',
      reason: 'SuccessPolicy',
      message: `Matched rules at index ${index}`,
    };
  }
  return undefined;
}

/** Milliseconds until activeDeadlineSeconds is over; 0 when it is, `undefined` when it does not run. */
function untilDeadlineMs(job: Job, nowMs: number): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  if (seconds === undefined || isSuspended(job)) return undefined;
  return Math.max(0, (parseTime(job.status?.startTime) ?? nowMs) + seconds * 1000 - nowMs);
}

type Scaling = Pick<JobStep, 'create' | 'indexFailures' | 'delete' | 'deleteUncounted' | 'requeueAfterMs'>;

function scalingOf(part: Partial<Scaling>): Scaling {
  return { create: [], delete: [], deleteUncounted: false, requeueAfterMs: undefined, ...part };
}

/** A job that ends deletes its active pods; these are counted as they end. */
function removeActive(tally: Tally): Scaling {
  return scalingOf({ delete: tally.active });
}

function scale(observed: ObservedJob, tally: Tally): Scaling {
  const { job, nowMs } = observed;
  if (job.metadata.deletionTimestamp !== undefined) return scalingOf({});
  if (isSuspended(job)) return scalingOf({ delete: tally.active, deleteUncounted: true });
  const wanted = wantedActive(job, tally);
  const doomed = surplus(job, tally.active, Math.max(0, tally.active.length - wanted), nowMs);
  if (doomed.length > 0) return scalingOf({ delete: doomed.slice(0, JOB_BURST), deleteUncounted: true });
  const lacking = wanted - tally.active.length - (waitsForTermination(job) ? tally.terminating : 0);
  if (lacking <= 0) return scalingOf({});
  if (tally.indexes !== undefined)
    return scaleIndexes(observed, tally, tally.indexes, Math.min(lacking, JOB_BURST));
  const waitMs = remainingBackoffMs(tally.streak, observed.backoff, nowMs);
  if (waitMs > 0) return scalingOf({ requeueAfterMs: waitMs });
  const number = Math.min(lacking, JOB_BURST);
  if (!isIndexed(job)) return scalingOf({ create: Array.from({ length: number }, () => undefined) });
  return scalingOf({ create: freeIndexes(observed, tally, number) });
}

/** Each index waits for itself. */
function scaleIndexes(observed: ObservedJob, tally: Tally, indexes: IndexFailures, number: number): Scaling {
  const { backoff, nowMs } = observed;
  const waits = freeIndexes(observed, tally, Number.POSITIVE_INFINITY).map((index) => ({
    index,
    ms: indexBackoffMs(index, indexes, backoff, nowMs),
  }));
  const create = waits.flatMap(({ index, ms }) => (ms === 0 ? [index] : [])).slice(0, number);
  if (create.length > 0) return scalingOf({ create, indexFailures: indexes.counts });
  const first = Math.min(...waits.map(({ ms }) => ms));
  return scalingOf(Number.isFinite(first) ? { requeueAfterMs: first } : {});
}

function wantedActive(job: Job, tally: Tally): number {
  const parallelism = job.spec?.parallelism ?? 1;
  const completions = wantedCompletions(job);
  if (completions === undefined) return tally.succeeded > 0 ? tally.active.length : parallelism;
  const over = tally.succeeded + (tally.indexes?.failed.size ?? 0);
  return Math.max(0, Math.min(parallelism, completions - over));
}

/** Pods to remove: those whose index is not the job's or taken by an older pod, then the least advanced. */
function surplus(job: Job, active: readonly Pod[], atLeast: number, nowMs: number): Pod[] {
  const ordered = orderForDeletion(active, [], nowMs);
  if (!isIndexed(job)) return ordered.slice(0, atLeast);
  const seen = new Set<number>();
  const keep: Pod[] = [];
  const remove: Pod[] = [];
  for (const pod of ordered.toReversed()) {
    const index = completionIndex(job, pod);
    if (index === undefined || seen.has(index)) {
      remove.push(pod);
    } else {
      seen.add(index);
      keep.unshift(pod);
    }
  }
  return [...remove, ...keep.slice(0, Math.max(0, atLeast - remove.length))];
}

function freeIndexes({ job, pods }: ObservedJob, tally: Tally, number: number): number[] {
  const taken = new Set([...tally.succeededIndexes, ...(tally.indexes?.failed ?? [])]);
  const waiting = waitsForTermination(job) ? pods.filter((pod) => !isFinished(pod)) : tally.active;
  for (const pod of waiting) {
    const index = completionIndex(job, pod);
    if (index !== undefined) taken.add(index);
  }
  const free: number[] = [];
  const completions = wantedCompletions(job) ?? 0;
  for (let index = 0; index < completions && free.length < number; index++) {
    if (!taken.has(index)) free.push(index);
  }
  return free;
}

function writeStatus(
  observed: ObservedJob,
  tally: Tally,
  judged: JobEnd | undefined,
  requeueAfterMs: number | undefined,
): JobStep {
  const { job, pods, nowMs } = observed;
  const end = judged ?? (isCompleted(job, tally) ? COMPLETIONS_REACHED : undefined);
  const isGoing = job.metadata.deletionTimestamp !== undefined;
  const release = pods.filter(
    (pod) =>
      isTracked(pod) &&
      (isGoing ||
        end !== undefined ||
        pod.status?.phase === 'Succeeded' ||
        (isFailed(job, pod) && !isRemembered(job, pod, tally.indexes, tally.active))),
  );
  const uncounted = {
    succeeded: [
      ...(tally.settled.uncountedTerminatedPods?.succeeded ?? []),
      ...(isIndexed(job) ? [] : tally.newSucceeded.map(uidOf)),
    ],
    failed: [
      ...(tally.settled.uncountedTerminatedPods?.failed ?? []),
      ...tally.newFailed.filter((pod) => judgeFailure(job.spec?.podFailurePolicy, pod).counts).map(uidOf),
    ],
  };
  const suspension = isGoing || end !== undefined ? undefined : noteSuspension(job, nowMs);
  let conditions: JobCondition[] = suspension?.conditions ?? job.status?.conditions ?? [];
  const events: EventNote[] = [...(suspension?.events ?? [])];
  let completionTime = job.status?.completionTime;
  if (end !== undefined) {
    conditions = withJobCondition(
      conditions,
      jobCondition(end.interim, 'True', end.reason, end.message, nowMs),
    );
    // The end is final once no outcome waits to be counted and no pod is terminating.
    if (
      uncounted.succeeded.length + uncounted.failed.length + tally.terminating === 0 &&
      release.length === 0
    ) {
      const isSuccess = end.interim === 'SuccessCriteriaMet';
      const type = isSuccess ? 'Complete' : 'Failed';
      conditions = withJobCondition(conditions, jobCondition(type, 'True', end.reason, end.message, nowMs));
      if (isSuccess) completionTime = metaTime(nowMs);
      events.push(
        isSuccess
          ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
          : { type: 'Warning', reason: end.reason, message: end.message },
      );
    }
  }
  const startTime =
    suspension?.startTime ?? job.status?.startTime ?? (isSuspended(job) ? undefined : metaTime(nowMs));
  const status = compose(job, tally, { uncounted, conditions, completionTime, startTime });
  return { ...nothing(tally.streak), status, release, events, requeueAfterMs };
}

function isCompleted(job: Job, tally: Tally): boolean {
  const completions = wantedCompletions(job);
  if (tally.active.length > 0) return false;
  return completions === undefined ? tally.succeeded > 0 : tally.succeeded >= completions;
}

function compose(
  job: Job,
  tally: Tally,
  parts: {
    readonly uncounted: { readonly succeeded: string[]; readonly failed: string[] };
    readonly conditions: JobCondition[];
    readonly completionTime: string | undefined;
    readonly startTime: string | undefined;
  },
): JobStatus {
  const { uncounted, conditions, completionTime, startTime } = parts;
  const succeeded = isIndexed(job) ? tally.succeededIndexes.size : (tally.settled.succeeded ?? 0);
  const failed = tally.settled.failed ?? 0;
  return {
    ...(tally.active.length === 0 ? {} : { active: tally.active.length }),
    ...(isIndexed(job) && succeeded > 0 ? { completedIndexes: formatIndexes(tally.succeededIndexes) } : {}),
    completionTime,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(failed === 0 ? {} : { failed }),
    ...(tally.indexes === undefined ? {} : { failedIndexes: formatIndexes(tally.indexes.failed) }),
    ready: tally.active.filter(isReady).length,
    startTime,
    ...(succeeded === 0 ? {} : { succeeded }),
    terminating: tally.terminating,
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
    },
  };
}

/** The Suspended condition; resuming starts the active deadline anew. */
function noteSuspension(
  job: Job,
  nowMs: number,
): { conditions: JobCondition[]; events: EventNote[]; startTime?: string } | undefined {
  const present = job.status?.conditions ?? [];
  const suspended = isSuspended(job);
  const condition = suspended
    ? jobCondition('Suspended', 'True', 'JobSuspended', 'Job suspended', nowMs)
    : jobCondition('Suspended', 'False', 'JobResumed', 'Job resumed', nowMs);
  const conditions = withJobCondition(present, condition);
  if (!conditions.includes(condition)) return undefined;
  const event: EventNote = suspended
    ? { type: 'Normal', reason: 'Suspended', message: 'Job suspended' }
    : { type: 'Normal', reason: 'Resumed', message: 'Job resumed' };
  return { conditions, events: [event], ...(suspended ? {} : { startTime: metaTime(nowMs) }) };
}
