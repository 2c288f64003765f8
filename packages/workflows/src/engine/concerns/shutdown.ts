import type { NodeStatus } from '../../kinds/status.ts';
import type { ShutdownStrategy } from '../../kinds/workflow.ts';
import type { Draft } from '../draft.ts';
import { isActive } from '../node-state.ts';

/** Whether a node belongs to an exit handler, of the workflow or of a step. */
export function isOnExit({ name }: Pick<NodeStatus, 'name'>): boolean {
  return /\.onExit(?:$|[.[(])/.test(name);
}

/** Exit handlers still start under Stop, and never under Terminate. */
export function isExitAllowed(draft: Draft): boolean {
  return draft.run.controls.shutdown !== 'Terminate';
}

/** Whether a node may start although the workflow is to end. */
export function mayStart(draft: Draft, node: NodeStatus): boolean {
  const { shutdown } = draft.run.controls;
  return shutdown === undefined || (shutdown === 'Stop' && isOnExit(node));
}

/** Why a node ended that could not go on. */
export function stoppedMessage(shutdown: ShutdownStrategy | undefined): string {
  return `Stopped with strategy '${shutdown}'`;
}

/** Ends what runs, once `spec.shutdown` is set. The mark of a pod is preliminary: what becomes of it says its end. */
export function shutDown(draft: Draft): void {
  const { shutdown } = draft.run.controls;
  if (shutdown === undefined) return;
  for (const node of draft.unfulfilled()) if (!mayStart(draft, node)) end(draft, node, shutdown);
}

function end(draft: Draft, node: NodeStatus, shutdown: ShutdownStrategy): void {
  const stopped = stoppedMessage(shutdown);
  if (node.synchronizationStatus?.waiting !== undefined) {
    draft.end(node, 'Failed', stopped, {
      synchronizationStatus: undefined,
      ...(node.type === 'Pod' && { taskResultSynced: true }),
    });
  } else if (node.type === 'Pod' && isActive(node)) {
    const isPending = node.phase === 'Pending';
    draft.actions.push({ kind: 'endPod', node: node.id, isPending });
    draft.end(node, 'Failed', `workflow shutdown with strategy:  ${shutdown}`, {
      taskResultSynced: isPending,
    });
  } else if (node.type === 'Suspend' || node.type === 'HTTP' || node.type === 'Plugin') {
    draft.end(node, 'Failed', stopped);
  }
}
