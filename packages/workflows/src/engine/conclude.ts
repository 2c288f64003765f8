import { isOverPhase } from '../kinds/completed.ts';
import type { NodeStatus, WorkflowPhase } from '../kinds/status.ts';
import { endingOf, exitNode, phaseOf, workflowHooksRun } from './concerns/exit-handler.ts';
import { stoppedMessage } from './concerns/shutdown.ts';
import type { Draft } from './draft.ts';
import { finalProgress } from './final-progress.ts';
import { hasBrokenDown, isFailed, isFulfilled } from './node-state.ts';

/** While an exit handler runs, the names say how the workflow is going to end. */
export function seeEnding(draft: Draft): void {
  const root = draft.named(draft.workflowName);
  if (root !== undefined && isFulfilled(root)) draft.ending = endingOf(draft, root);
}

/** When the root is over: hooks, the exit handler, the end. True when there is more to settle. */
export function concludes(draft: Draft): boolean {
  const root = draft.named(draft.workflowName);
  if (root === undefined || isOverPhase(draft.status.phase)) return false;
  const hooksRun = workflowHooksRun(draft, root);
  if (!isFulfilled(root)) return draft.queue.length > 0;
  if (hooksRun) return draft.queue.length > 0;
  const before = draft.queue.length;
  const exit = exitNode(draft, root);
  if (draft.queue.length > before) return true;
  if (exit !== undefined && !isFulfilled(exit)) return false;
  for (const id of draft.index.unfulfilled) if (draft.get(id)?.type === 'Pod') return false;
  end(draft, root, exit);
  return false;
}

function end(draft: Draft, root: NodeStatus, exit: NodeStatus | undefined): void {
  const { shutdown } = draft.run.controls;
  const own = phaseOf(root);
  const isWorsened = own === 'Succeeded' && exit !== undefined && isFailed(exit);
  const phase = isWorsened && exit !== undefined ? phaseOf(exit) : own;
  const message = isWorsened ? exit?.message : messageOf(root);
  const isStopped = shutdown !== undefined && own !== 'Succeeded';
  conclude(draft, isStopped ? 'Failed' : phase, isStopped ? stoppedMessage(shutdown) : message);
}

/** Error of a node, in the words of a workflow. */
function messageOf(root: NodeStatus): string | undefined {
  return hasBrokenDown(root) ? entryError(root.message) : root.message;
}

/** What a workflow says whose entry template could not be carried out. */
export function entryError(message = ''): string {
  return `error in entry template execution: ${message}`;
}

/** Ends the workflow. Phase, message and time of the end are stored together: clients take the time for the end. */
export function conclude(draft: Draft, phase: WorkflowPhase, message: string | undefined): void {
  draft.setStatus({
    phase,
    message,
    finishedAt: draft.time,
    startedAt: draft.status.startedAt ?? draft.time,
  });
  if (draft.run.spec.synchronization !== undefined) draft.actions.push({ kind: 'releaseLocks', node: '' });
  finalProgress(draft);
}
