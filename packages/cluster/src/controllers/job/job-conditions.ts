import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Job } from '@turnsole/kube/kinds/core';
import { metaTime, parseTime } from '@turnsole/kube/text/time';
import type { JobCondition } from '../shared/types.ts';

/** How a job ends. The interim condition comes first, the final one when its pods are counted and gone. */
export interface JobEnd {
  readonly interim: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
}

/** Enough pods have succeeded. */
export const COMPLETIONS_REACHED: JobEnd = {
  interim: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};
/** More pods have failed than spec.backoffLimit allows. */
export const BACKOFF_LIMIT_EXCEEDED: JobEnd = {
  interim: 'FailureTarget',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};
/** spec.activeDeadlineSeconds are over. */
export const DEADLINE_EXCEEDED: JobEnd = {
  interim: 'FailureTarget',
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};

/** The condition that has ended the job; `undefined` while it runs. */
export function terminalCondition(job: Job): JobCondition | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

/** How the job is already bound to end by an interim condition. */
export function boundEnd(job: Job): JobEnd | undefined {
  for (const interim of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const condition = findCondition(job.status?.conditions, interim);
    if (condition?.status !== 'True') continue;
    return { interim, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

/** A condition that begins now. */
export function jobCondition(
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
  nowMs: number,
): JobCondition {
  const now = metaTime(nowMs);
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/** The list with this condition; a False one is only ever a change of a True one, as nothing need not be said. */
export function withJobCondition(
  conditions: readonly JobCondition[],
  condition: JobCondition,
): JobCondition[] {
  const present = findCondition(conditions, condition.type);
  if (present === undefined)
    return condition.status === 'False' ? [...conditions] : [...conditions, condition];
  if (
    present.status === condition.status &&
    present.reason === condition.reason &&
    present.message === condition.message
  ) {
    return [...conditions];
  }
  return conditions.map((item) => (item === present ? condition : item));
}

/** Milliseconds until a finished job may be removed (ttlSecondsAfterFinished); `undefined`: never, or not finished. */
export function untilExpiryMs(job: Job, nowMs: number): number | undefined {
  const ttlSeconds = job.spec?.ttlSecondsAfterFinished;
  const finishedMs = parseTime(terminalCondition(job)?.lastTransitionTime);
  if (ttlSeconds === undefined || finishedMs === undefined) return undefined;
  return Math.max(0, finishedMs + ttlSeconds * 1000 - nowMs);
}
