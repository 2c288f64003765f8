import type { NodeStatus } from '../kinds/status.ts';
import type { Change } from './change.ts';
import { stoppedMessage } from './concerns/shutdown.ts';
import { conclude, entryError } from './conclude.ts';
import type { Draft } from './draft.ts';
import { startTemplate } from './start.ts';
import { localScope } from './template-scope.ts';

/** Before the first node: checks the parameters, and takes the lock of the workflow. */
export function mayRun(draft: Draft, change: Change): boolean {
  if (draft.status.phase !== '' && draft.status.phase !== 'Pending') return true;
  const { problem } = draft.run.parameters;
  if (problem !== undefined) {
    conclude(draft, 'Failed', `failed to set global parameters: ${problem}`);
    return false;
  }
  if (draft.run.spec.synchronization !== undefined && !draft.run.controls.isLocked)
    return waitForLock(draft, change);
  return true;
}

function waitForLock(draft: Draft, change: Change): boolean {
  if (draft.run.controls.shutdown === 'Terminate') {
    conclude(draft, 'Failed', stoppedMessage('Terminate'));
    return false;
  }
  if (change.kind !== 'locksChanged' || change.node !== '') {
    const isToAsk = draft.status.phase === '' || change.kind === 'unanswered';
    if (isToAsk && draft.run.spec.synchronization !== undefined) {
      draft.actions.push({ kind: 'acquireLocks', node: '', locks: draft.run.spec.synchronization });
      draft.setStatus({ phase: 'Pending' });
    }
    return false;
  }
  if (change.answer.kind === 'error') conclude(draft, 'Failed', change.answer.message);
  else if (change.answer.kind === 'waiting')
    draft.setStatus({ phase: 'Pending', message: change.answer.message });
  return false;
}

/** The first node, once the workflow runs. */
export function enter(draft: Draft): void {
  const { spec, parameters } = draft.run;
  // Limits count from here; the phase is empty for what the first nodes read.
  draft.setStatus({ startedAt: draft.status.startedAt ?? draft.time, ...estimate(draft) });
  const started = startTemplate(draft, {
    name: draft.workflowName,
    holder: { template: spec.entrypoint ?? '' },
    scope: localScope(draft.run),
    args: { ...spec.arguments, parameters: parameters.values },
  });
  draft.setStatus({ phase: 'Running', message: undefined });
  if (started.kind === 'failed') {
    conclude(draft, 'Error', entryError(started.message));
  }
}

/** A workflow that a client gave nodes and no phase (retry, memoized resubmit) goes on from them. */
export function reenter(draft: Draft): void {
  const startedAt = draft.status.startedAt ?? draft.time;
  draft.setStatus({ phase: 'Running', startedAt, message: undefined, ...estimate(draft) });
  for (const node of draft.unfulfilled()) {
    if (node.phase === 'Pending' && GROUPING.has(node.type)) draft.update(node, { phase: 'Running' });
  }
}

function estimate({ run }: Draft): { readonly estimatedDuration?: number } {
  const estimatedDuration = run.options.estimates?.workflow;
  return estimatedDuration === undefined ? {} : { estimatedDuration };
}

const GROUPING: ReadonlySet<NodeStatus['type']> = new Set([
  'Steps',
  'StepGroup',
  'DAG',
  'TaskGroup',
  'Retry',
]);
