import type { NodeStatus } from '../kinds/status.ts';
import type { Decision } from './change.ts';
import { retryWakeAt } from './concerns/retry.ts';
import { hasTimers, nextDeadline } from './concerns/timeouts.ts';
import { isOver } from './conclude.ts';
import type { Draft } from './draft.ts';
import { resumesAt } from './kinds/suspend.ts';

/** When time alone brings about something: the earliest of deadlines, back-offs and suspensions. */
export function wakeAt(draft: Draft): Pick<Decision, 'wakeAt'> {
  if (isOver(draft.status.phase)) return {};
  const times: number[] = [];
  const deadline = nextDeadline(draft);
  if (deadline !== undefined) times.push(deadline);
  // Without any, no node has to be asked.
  const ids = hasTimers(draft.run) ? draft.index.unfulfilled : [];
  for (const id of ids) {
    const node = draft.get(id);
    const at = node === undefined ? undefined : ownWakeAt(draft, node);
    if (at !== undefined) times.push(at);
  }
  return times.length === 0 ? {} : { wakeAt: Math.min(...times) };
}

function ownWakeAt(draft: Draft, node: NodeStatus): number | undefined {
  if (node.type === 'Retry') return retryWakeAt(draft, node);
  return node.type === 'Suspend' && node.phase === 'Running' ? resumesAt(draft, node) : undefined;
}
