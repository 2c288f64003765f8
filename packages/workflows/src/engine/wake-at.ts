import { isOverPhase } from '../kinds/completed.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Decision } from './change.ts';
import { retryWakeAt } from './concerns/retry.ts';
import { hasTimers, nextDeadline } from './concerns/timeouts.ts';
import type { Draft } from './draft.ts';
import { resumesAt } from './kinds/suspend.ts';

/** When time alone brings about something: the earliest of deadlines, back-offs and suspensions. */
export function wakeAt(draft: Draft): Pick<Decision, 'wakeAt'> {
  if (isOverPhase(draft.status.phase)) return {};
  const times: number[] = [];
  const deadline = nextDeadline(draft);
  if (deadline !== undefined) times.push(deadline);
  // Without any, no node has to be asked.
  for (const node of hasTimers(draft.run) ? draft.unfulfilled() : []) {
    const at = ownWakeAt(draft, node);
    if (at !== undefined) times.push(at);
  }
  return times.length === 0 ? {} : { wakeAt: Math.min(...times) };
}

function ownWakeAt(draft: Draft, node: NodeStatus): number | undefined {
  if (node.type === 'Retry') return retryWakeAt(draft, node);
  return node.type === 'Suspend' && node.phase === 'Running' ? resumesAt(draft, node) : undefined;
}
