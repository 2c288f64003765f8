import type { NodeStatus } from '../../kinds/status.ts';
import type { Template } from '../../kinds/template.ts';
import type { Change } from '../change.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { isActive } from '../node-state.ts';

/** Asks whether the outputs of a node are known already. True when it has to wait for the answer. */
export function asksForCache(draft: Draft, node: NodeStatus, { memoize }: Template): boolean {
  const isAsked = node.memoizationStatus !== undefined;
  if (memoize === undefined || isAsked || node.nodeFlag?.retried === true) return false;
  draft.actions.push({ kind: 'readCache', node: node.id, memoize });
  return true;
}

/** A hit ends the node with the kept outputs; without one it goes on. */
export function cacheRead(
  draft: Draft,
  { node: id, outputs, error }: Extract<Change, { readonly kind: 'cacheRead' }>,
  goOn: (node: NodeStatus) => void,
): void {
  const node = draft.get(id);
  if (node === undefined || node.phase !== 'Pending' || node.memoizationStatus !== undefined) return;
  if (error !== undefined) {
    draft.end(node, 'Error', error);
    return;
  }
  const { memoize } = frameOf(draft, node).template;
  const status = { key: memoize?.key ?? '', cacheName: memoize?.cache?.configMap?.name ?? '' };
  if (outputs === undefined) {
    goOn(draft.update(node, { memoizationStatus: { hit: false, ...status } }));
    return;
  }
  draft.update(node, {
    phase: 'Succeeded',
    outputs,
    memoizationStatus: { hit: true, ...status },
    finishedAt: draft.time,
    ...(node.type === 'Pod' && { taskResultSynced: true }),
    ...(node.progress !== undefined && { progress: '1/1' }),
  });
}

/** Keeps the outputs of a node that succeeded for the next one with the same key. */
export function saveCache(draft: Draft, node: NodeStatus): void {
  if (node.memoizationStatus?.hit !== false || node.phase !== 'Succeeded' || isActive(node)) return;
  const { memoize } = frameOf(draft, node).template;
  if (memoize !== undefined)
    draft.actions.push({ kind: 'saveCache', node: node.id, memoize, outputs: node.outputs ?? {} });
}
