import { metaTime } from '@turnsole/kube/text/time';
import type { NodeStatus } from '../kinds/status.ts';
import type { Action, Decision } from './change.ts';
import { isFulfilled } from './node-state.ts';
import type { Run } from './run.ts';

/** The decision that ends a workflow as Error because the engine itself failed on it: its pods are ended, its locks given back. Pure. */
export function failedRun(run: Run, message: string, now: number): Decision {
  const finishedAt = metaTime(now);
  const open = [...run.index.unfulfilled].map((id) => run.nodes.get(id)).filter((node) => node !== undefined);
  const nodes = open.map((node) => over(node, finishedAt));
  const actions = open.flatMap((node): Action[] =>
    node.type === 'Pod' && !isFulfilled(node)
      ? [{ kind: 'endPod', node: node.id, isPending: node.phase === 'Pending' }]
      : [],
  );
  return {
    nodes,
    status: { phase: 'Error', message, finishedAt, startedAt: run.status.startedAt ?? finishedAt },
    actions: [...actions, { kind: 'releaseLocks', node: '' }],
  };
}

function over(node: NodeStatus, finishedAt: string): NodeStatus {
  const { taskResultSynced: _synced, daemoned: _daemoned, ...rest } = node;
  return { ...rest, phase: 'Error', message: 'Workflow operation error', finishedAt };
}
