import type { NodeStatus } from '../../kinds/status.ts';
import type { Draft } from '../draft.ts';

/** Ends the daemons of a boundary that is over. They have done what they were for. */
export function endDaemons(draft: Draft, boundary: NodeStatus): void {
  for (const id of [...draft.index.daemons]) {
    const node = draft.get(id);
    if (node?.boundaryID !== boundary.id) continue;
    draft.actions.push({ kind: 'endPod', node: node.id, isPending: false });
    draft.update(node, { phase: 'Succeeded', daemoned: undefined, progress: '1/1', finishedAt: draft.time });
  }
}
