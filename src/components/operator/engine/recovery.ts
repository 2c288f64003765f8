import { findCondition } from '@turnsole/kube/kinds/conditions';
import { CONDITION_RECOVERED } from '../../../api/index.ts';
import { decideRecovery } from '../../../chaos/recovery/decide-recovery.ts';
import type { EngineAction } from './actions.ts';
import type { ObservedEngine } from './observed.ts';

/** Why the API server let no recovery start: the reason of the condition that remembers it. */
export const RECOVERY_REFUSED = 'RecoveryRefused';

/** What remains to be done about open ledger entries before the run may be closed. */
interface RecoveryPlan {
  readonly actions: readonly EngineAction[];
  /** Whether an attempt is under way or about to begin: the run is not closed yet. */
  readonly isUnderWay: boolean;
  /** What has been given up, in words. */
  readonly left: readonly string[];
}

/** Puts the decisions about all results of an engine together. Pure. */
export function planRecovery({ engine, nowMs, results, recoveries }: ObservedEngine): RecoveryPlan {
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
        // No watch event will report that this is done: look again at once.
        actions.push({ type: 'closeEntries', result, ids: step.ids }, { type: 'wait', ms: 1, why: 'closed' });
        break;
      case 'start':
        isUnderWay = true;
        actions.push({ type: 'startRecovery', result, attempt: step.attempt });
        actions.push({ type: 'wait', ms: LOOK_AGAIN_MS, why: 'recovery' });
        break;
      case 'wait':
        isUnderWay = true;
        for (const { attempt, finished } of attempts) {
          if (!finished) actions.push({ type: 'checkRecovery', result, attempt });
        }
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
  if (!isUnderWay && recoveries > 0) actions.push({ type: 'removeRecoveries' });
  return { actions, isUnderWay, left };
}

/** The end of a recovery is an event; this is for those that are lost. */
const LOOK_AGAIN_MS = 5_000;
