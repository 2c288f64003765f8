import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { type ChaosResult, LABEL_RECOVERY } from '../../../api/index.ts';
import { podHasEnded } from '../../../chaos/pod-end.ts';
import type { RecoveryAttempt } from '../../../chaos/recovery/decide-recovery.ts';
import { jobLimitMs, recoveryJobName } from '../../../chaos/recovery/recovery-job.ts';
import { attemptOf } from '../../../engines/recover-result.ts';

/** A result of the engine, with the attempts to recover it. */
export interface ObservedResult {
  readonly result: ChaosResult;
  readonly attempts: readonly RecoveryAttempt[];
}

/** Whether a pod or Job belongs to a recovery. */
export function isOfRecovery({ metadata }: Pod | Job): boolean {
  return metadata.labels?.[LABEL_RECOVERY] !== undefined;
}

/**
 * Until when the Jobs of recoveries belong to the component that began them: infinite while one is at work, and for one that has failed as long as
 * attempts are counted by it. Undefined when all have done it. Pure.
 */
export function heldUntilMs(jobs: readonly Job[], pods: readonly Pod[]): number | undefined {
  const times = jobs
    .filter((job) => !hasDoneIt(job, pods))
    .map((job) => {
      const { finished, createdMs } = attemptOf(job, 0);
      return finished ? createdMs + jobLimitMs(job) : Number.POSITIVE_INFINITY;
    });
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Whether the Job of a recovery has left nothing open; its pod says so sooner. */
function hasDoneIt({ metadata, status }: Job, pods: readonly Pod[]): boolean {
  const isComplete = isConditionTrue(status?.conditions, 'Complete');
  return (
    isComplete ||
    pods.some(
      (pod) => pod.metadata.labels?.['job-name'] === metadata.name && pod.status?.phase === 'Succeeded',
    )
  );
}

/** Results with the attempts among these Jobs; a pod that has ended says so sooner than its Job. Pure. */
export function observeResults(
  results: readonly ChaosResult[],
  jobs: readonly Job[],
  pods: readonly Pod[],
): ObservedResult[] {
  const byName = new Map(jobs.map((job) => [job.metadata.name, job]));
  const ended = new Set(pods.filter(podHasEnded).flatMap((pod) => pod.metadata.labels?.['job-name'] ?? []));
  return results.map((result) => {
    const attempts: RecoveryAttempt[] = [];
    for (let attempt = 1; ; attempt++) {
      const job = byName.get(recoveryJobName(result, attempt));
      if (job === undefined) return { result, attempts };
      const seen = attemptOf(job, attempt);
      attempts.push({ ...seen, finished: seen.finished || ended.has(job.metadata.name) });
    }
  });
}
