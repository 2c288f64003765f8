import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { finishedAtMs } from './job-pods.ts';

/** How often the job's pods failed in a row, and when last. Kept in memory: a restart forgives. */
export interface FailureStreak {
  readonly failures: number;
  readonly lastFailureMs: number;
}

/** The streak of a job whose last pod did not fail. */
export const NO_FAILURES: FailureStreak = { failures: 0, lastFailureMs: 0 };

/** How long a replacement waits after a failure: doubling from `baseMs` to `maxMs`. */
export interface JobBackoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The streak after these pods ended; a success ends it, failures after the last success begin a new one. */
export function continueStreak(
  streak: FailureStreak,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): FailureStreak {
  if (succeeded.length === 0) {
    if (failed.length === 0) return streak;
    return {
      failures: streak.failures + failed.length,
      lastFailureMs: Math.max(...failed.map(finishedAtMs)),
    };
  }
  const lastSuccess = Math.max(...succeeded.map(finishedAtMs));
  const after = failed.map(finishedAtMs).filter((time) => time > lastSuccess);
  return after.length === 0 ? NO_FAILURES : { failures: after.length, lastFailureMs: Math.max(...after) };
}

/** Milliseconds to wait before the next pod is created. */
export function remainingBackoffMs(streak: FailureStreak, backoff: JobBackoff, nowMs: number): number {
  if (streak.failures === 0) return 0;
  const wait = Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(streak.failures - 1, 20));
  return Math.max(0, streak.lastFailureMs + wait - nowMs);
}

/** With restartPolicy OnFailure it is the restarts in place that count against the limit. */
export function hasTooManyRestarts(job: Job, pods: readonly Pod[]): boolean {
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const container of [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])]) {
      restarts += container.restartCount;
    }
  }
  const limit = job.spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}
