import type { ChaosResult, Pod } from '../../api/index.ts';
import { CONDITION_RECOVERED, findCondition, type Job, LABEL_RECOVERY } from '../../api/index.ts';
import {
  decideRecovery,
  RECOVERY_LIMIT_MS,
  type RecoveryAttempt,
  recoveryJobName,
} from '../../api/recovery/index.ts';
import { attemptOf, hasEnded } from '../../kube/recovery/recover-result.ts';
import type { EngineAction } from './actions.ts';
import type { ObservedEngine } from './observed.ts';

/** A result of the engine, with the attempts to recover it that there are. */
export interface ObservedResult {
  readonly result: ChaosResult;
  readonly attempts: readonly RecoveryAttempt[];
}

/** Why the API server let no recovery start: the reason of the condition that remembers it. */
export const RECOVERY_REFUSED = 'RecoveryRefused';

/** Whether a pod or Job belongs to a recovery. */
export function isOfRecovery({ metadata }: Pod | Job): boolean {
  return metadata.labels?.[LABEL_RECOVERY] !== undefined;
}

/**
 * Until when the Jobs of recoveries are whoever's began them: infinite while one is at work, and for one that has failed as long as
 * attempts are counted by it. Undefined when all have done it. Pure.
 */
export function heldUntilMs(jobs: readonly Job[], pods: readonly Pod[]): number | undefined {
  const times = jobs
    .filter((job) => !hasDoneIt(job, pods))
    .map((job) => {
      const { finished, createdMs } = attemptOf(job, 0);
      return finished ? createdMs + RECOVERY_LIMIT_MS : Number.POSITIVE_INFINITY;
    });
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Whether the Job of a recovery has left nothing open; its pod tells sooner. */
function hasDoneIt({ metadata, status }: Job, pods: readonly Pod[]): boolean {
  const isComplete = (status?.conditions ?? []).some(
    ({ type, status: word }) => type === 'Complete' && word === 'True',
  );
  return (
    isComplete ||
    pods.some(
      (pod) => pod.metadata.labels?.['job-name'] === metadata.name && pod.status?.phase === 'Succeeded',
    )
  );
}

/** Results with the attempts among these Jobs; a pod that has ended tells sooner than its Job. Pure. */
export function observeResults(
  results: readonly ChaosResult[],
  jobs: readonly Job[],
  pods: readonly Pod[],
): ObservedResult[] {
  const byName = new Map(jobs.map((job) => [job.metadata.name, job]));
  const ended = new Set(pods.filter(hasEnded).flatMap((pod) => pod.metadata.labels?.['job-name'] ?? []));
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

/** What is still to be done about open ledger entries before the run may be closed. */
export interface RecoveryPlan {
  readonly actions: readonly EngineAction[];
  /** Whether an attempt is under way or about to begin: the run is not closed yet. */
  readonly isUnderWay: boolean;
  /** What has been given up, in words. */
  readonly left: readonly string[];
}

/** Puts the decisions about all results of an engine together. Pure. */
export function planRecovery({ engine, nowMs, results }: ObservedEngine): RecoveryPlan {
  const condition = findCondition(engine.status?.conditions, CONDITION_RECOVERED);
  const refusal = condition?.reason === RECOVERY_REFUSED ? condition.message : undefined;
  const actions: EngineAction[] = [];
  const left: string[] = [];
  const reasons = new Set<string>();
  let isUnderWay = false;
  for (const { result, attempts } of results) {
    const step = decideRecovery({ nowMs, result, attempts, refusal });
    switch (step.kind) {
      case 'nothing':
        break;
      case 'close':
        isUnderWay = true;
        // Nothing in the local copies tells that it is done: look again at once.
        actions.push({ type: 'closeEntries', result, ids: step.ids }, { type: 'wait', ms: 1, why: 'closed' });
        break;
      case 'start':
        isUnderWay = true;
        actions.push({ type: 'startRecovery', result, attempt: step.attempt });
        actions.push({ type: 'wait', ms: LOOK_AGAIN_MS, why: 'recovery' });
        break;
      case 'wait':
        isUnderWay = true;
        actions.push({ type: 'wait', ms: Math.min(step.ms, LOOK_AGAIN_MS), why: 'recovery' });
        break;
      case 'give up':
        left.push(...step.left);
        reasons.add(step.reason);
    }
  }
  if (!isUnderWay && left.length > 0) {
    actions.push({ type: 'reportLeft', left, reason: [...reasons].join('; ') });
  }
  return { actions, isUnderWay, left };
}

/** The end of a recovery is an event; this is for those that are lost. */
const LOOK_AGAIN_MS = 5_000;
