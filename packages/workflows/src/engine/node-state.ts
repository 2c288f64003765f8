import { isOverPhase } from '../kinds/completed.ts';
import type { NodeStatus, NodeType } from '../kinds/status.ts';

export function isFailed({ phase }: Pick<NodeStatus, 'phase'>): boolean {
  return phase === 'Failed' || phase === 'Error';
}

/**
 * A node of steps or tasks that could not go on by itself, such as one whose outputs cannot be resolved. One that ends by what failed in
 * it has no message of its own, or is Failed.
 */
export function hasBrokenDown({ type, phase, message = '' }: NodeStatus): boolean {
  return (type === 'Steps' || type === 'DAG') && phase === 'Error' && message !== '';
}

export function isCompleted({ phase }: Pick<NodeStatus, 'phase'>): boolean {
  return isOverPhase(phase);
}

/** Nodes that wait for this one may go on: it is over and has reported, was never started, or is a daemon that is up. */
export function isFulfilled(node: NodeStatus): boolean {
  if (isCompleted(node)) return node.taskResultSynced !== false;
  return (
    node.phase === 'Skipped' ||
    node.phase === 'Omitted' ||
    (node.daemoned === true && node.phase !== 'Pending')
  );
}

export function isActive({ phase }: Pick<NodeStatus, 'phase'>): boolean {
  return phase === 'Pending' || phase === 'Running';
}

const OF_TEMPLATES: ReadonlySet<NodeType> = new Set([
  'Pod',
  'Steps',
  'DAG',
  'Retry',
  'Suspend',
  'HTTP',
  'Plugin',
]);

/** Nodes that carry out a template: they hold its locks and report its metrics. Other nodes only group nodes, or were skipped. */
export function runsTemplate({ type }: Pick<NodeStatus, 'type'>): boolean {
  return OF_TEMPLATES.has(type);
}

const EXECUTABLE: ReadonlySet<NodeType> = new Set(['Pod', 'Container', 'HTTP', 'Plugin', 'Suspend']);

/** Nodes that do something themselves, and have a progress of their own. */
export function isExecutable({ type }: Pick<NodeStatus, 'type'>): boolean {
  return EXECUTABLE.has(type);
}

const COUNTED: ReadonlySet<NodeType> = new Set(['Pod', 'Steps', 'DAG']);

/** Nodes that `parallelism` and `failFast` of their boundary count. */
export function isCounted({ type }: Pick<NodeStatus, 'type'>): boolean {
  return COUNTED.has(type);
}
