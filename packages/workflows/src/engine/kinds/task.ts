import type { NodeStatus } from '../../kinds/status.ts';
import type { Change } from '../change.ts';
import { mayStart, stoppedMessage } from '../concerns/shutdown.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { isActive } from '../node-state.ts';
import { progressAt } from '../progress.ts';

/** Begins a node whose work others do: http, plugin. */
export function beginTask(draft: Draft, node: NodeStatus): void {
  if (mayStart(draft, node)) {
    draft.actions.push({ kind: 'runTask', node: node.id, template: frameOf(draft, node).template });
    return;
  }
  draft.end(node, 'Failed', stoppedMessage(draft.run.controls.shutdown));
}

export function taskAnswered(draft: Draft, change: Extract<Change, { readonly kind: 'taskAnswered' }>): void {
  const node = draft.get(change.node);
  if (node === undefined || !isActive(node)) return;
  const { phase, message, outputs, progress } = change;
  draft.update(node, {
    phase,
    message: message === '' ? undefined : message,
    ...(outputs && { outputs }),
    progress: progressAt({ phase, progress: progress ?? node.progress ?? '0/1' }),
    ...(!isActive({ phase }) && { finishedAt: draft.time }),
  });
}
