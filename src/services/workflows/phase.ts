import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { isSuspended, nodesOf } from './nodes.ts';

/** The state of a workflow in `list` and `get`: its phase, and whether a user has suspended, stopped or terminated it. Pure. */
export function phaseText(workflow: Workflow): string {
  const { spec, status } = workflow;
  const phase = status?.phase ?? '';
  if (phase === '' || phase === 'Pending') return 'Pending';
  if (phase === 'Running' && isHeld(workflow)) return 'Running (Suspended)';
  return phase === 'Failed' && spec.shutdown !== undefined ? 'Failed (Terminated)' : phase;
}

/** Whether a workflow or a node of it waits to be resumed. Pure. */
function isHeld(workflow: Workflow): boolean {
  return workflow.spec.suspend === true || Object.values(nodesOf(workflow)).some(isSuspended);
}

/** Whether a workflow has ended: its final phase and the end of its time are written at once. Pure. */
export function hasEnded({ status }: Workflow): boolean {
  const { phase, finishedAt } = status ?? {};
  return finishedAt !== undefined && finishedAt !== null && isOverPhase(phase);
}
