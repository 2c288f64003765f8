/** Indexed jobs of which each index has a back-off limit of its own (spec.backoffLimitPerIndex). */
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import type { JobBackoff } from './backoff.ts';
import { parseIndexes } from './indexes.ts';
import type { JobEnd } from './job-conditions.ts';
import { completionIndex, finishedAtMs, isFailed, isIndexed } from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** Annotation of a pod with the number of failures of its index before it. */
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';

/** What is known of the failures of a job's indexes. */
export interface IndexFailures {
  /** Failures of an index that count; absent: none. */
  readonly counts: ReadonlyMap<number, number>;
  /** Indexes that have failed for good. */
  readonly failed: ReadonlySet<number>;
  /** The pod by whose failure each index was counted last. */
  readonly last: ReadonlyMap<number, Pod>;
}

/** The failures of each index; `undefined` for jobs whose indexes have no limit of their own. Pure. */
export function indexFailures(job: Job, pods: readonly Pod[]): IndexFailures | undefined {
  const limit = job.spec?.backoffLimitPerIndex;
  if (limit === undefined || !isIndexed(job)) return undefined;
  const counts = new Map<number, number>();
  const last = new Map<number, Pod>();
  const failed = parseIndexes(job.status?.failedIndexes);
  for (const pod of pods) {
    const index = completionIndex(job, pod);
    if (index === undefined) continue;
    const hasFailed = isFailed(job, pod);
    const judgement = hasFailed ? judgeFailure(job.spec?.podFailurePolicy, pod) : undefined;
    const failures = failuresBefore(pod) + (judgement?.counts === true ? 1 : 0);
    if (failures > (counts.get(index) ?? 0)) counts.set(index, failures);
    if (hasFailed && finishedAtMs(pod) >= finishedAtMs(last.get(index) ?? pod)) last.set(index, pod);
    if (judgement?.failIndex === true || failures > limit) failed.add(index);
  }
  return { counts, failed, last };
}

function failuresBefore({ metadata }: Pod): number {
  const text = metadata.annotations?.[INDEX_FAILURES] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/** How failed indexes end the job: too many of them at once, one when nothing else is left to do. Pure. */
export function endOfIndexes(
  job: Job,
  failures: IndexFailures | undefined,
  succeeded: number,
): JobEnd | undefined {
  if (failures === undefined || failures.failed.size === 0) return undefined;
  const { maxFailedIndexes, completions = 0 } = job.spec ?? {};
  if (maxFailedIndexes !== undefined && failures.failed.size > maxFailedIndexes) {
    return {
      interim: 'FailureTarget',
      reason: 'MaxFailedIndexesExceeded',
      message: 'Job has exceeded the specified maximal number of failed indexes',
    };
  }
  return succeeded + failures.failed.size < completions
    ? undefined
    : { interim: 'FailureTarget', reason: 'FailedIndexes', message: 'Job has failed indexes' };
}

/** Milliseconds to wait before an index gets its next pod. Pure. */
export function indexBackoffMs(
  index: number,
  failures: IndexFailures | undefined,
  { baseMs, maxMs }: JobBackoff,
  nowMs: number,
): number {
  const count = failures?.counts.get(index) ?? 0;
  const pod = failures?.last.get(index);
  if (count === 0 || pod === undefined) return 0;
  const wait = Math.min(maxMs, baseMs * 2 ** Math.min(count - 1, 20));
  return Math.max(0, finishedAtMs(pod) + wait - nowMs);
}

/**
 * Whether the pod is what says how often its index has failed: it stays until the index has another pod, or has failed for good, which
 * the job's status says. Pure.
 */
export function isRemembered(
  job: Job,
  pod: Pod,
  failures: IndexFailures | undefined,
  active: readonly Pod[],
): boolean {
  const index = completionIndex(job, pod);
  if (failures === undefined || index === undefined || failures.last.get(index) !== pod) return false;
  if (failures.failed.has(index)) return false;
  return !active.some((one) => completionIndex(job, one) === index);
}
