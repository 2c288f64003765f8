import type { NodeStatus } from '../../kinds/status.ts';
import type { Draft } from '../draft.ts';

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

/** Ends what runs, once `spec.shutdown` is set. The mark of a pod is preliminary: what becomes of it says its end. */
export function shutDown(draft: Draft): void {
  const { shutdown } = draft.run.controls;
  if (shutdown === undefined) return;
  for (const id of [...draft.index.unfulfilled]) {
    const node = draft.get(id);
    if (node !== undefined && !mayStart(draft, node)) end(draft, node, shutdown);
  }
}

function end(draft: Draft, node: NodeStatus, shutdown: string): void {
  const over = { phase: 'Failed', finishedAt: draft.time } as const;
  const isWaiting = node.synchronizationStatus?.waiting !== undefined;
  if (isWaiting) {
    const message = `Stopped with strategy '${shutdown}'`;
    draft.update(node, {
      ...over,
      message,
      synchronizationStatus: undefined,
      ...(node.type === 'Pod' && { taskResultSynced: true }),
    });
  } else if (node.type === 'Pod' && (node.phase === 'Pending' || node.phase === 'Running')) {
    draft.actions.push({ kind: 'endPod', node: node.id, isPending: node.phase === 'Pending' });
    const isLate = node.phase === 'Running';
    draft.update(node, {
      ...over,
      message: `workflow shutdown with strategy:  ${shutdown}`,
      taskResultSynced: !isLate,
    });
  } else if (node.type === 'Suspend' || node.type === 'HTTP' || node.type === 'Plugin') {
    draft.update(node, { ...over, message: `Stopped with strategy '${shutdown}'` });
  }
}
