import type { NodeStatus } from '../../kinds/status.ts';
import type { Template } from '../../kinds/template.ts';
import type { Change } from '../change.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { isFulfilled, runsTemplate } from '../node-state.ts';

/** Asks for the locks of a node before anything else of it begins. True when it has to wait for the answer. */
export function asksForLocks(draft: Draft, node: NodeStatus, { synchronization }: Template): boolean {
  if (synchronization === undefined) return false;
  draft.actions.push({ kind: 'acquireLocks', node: node.id, locks: synchronization });
  return true;
}

/** The node goes on when its locks are held. */
export function locksChanged(
  draft: Draft,
  { node: id, answer }: Extract<Change, { readonly kind: 'locksChanged' }>,
  goOn: (node: NodeStatus) => void,
): void {
  const node = draft.get(id);
  if (node === undefined || isFulfilled(node) || node.phase !== 'Pending') return;
  switch (answer.kind) {
    case 'held':
      goOn(draft.update(node, { message: undefined, synchronizationStatus: undefined }));
      break;
    case 'waiting':
      draft.update(node, { message: answer.message, synchronizationStatus: { waiting: answer.lock } });
      break;
    case 'error':
      draft.end(node, 'Error', answer.message);
  }
}

/** Gives back the locks of a node that is over. */
export function releaseLocks(draft: Draft, node: NodeStatus): void {
  if (!runsTemplate(node)) return;
  if (frameOf(draft, node).template.synchronization === undefined) return;
  if (node.nodeFlag?.retried === true) return;
  draft.actions.push({ kind: 'releaseLocks', node: node.id });
}
