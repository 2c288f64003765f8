import type { NodeStatus } from '../kinds/status.ts';
import { isExecutable } from './node-state.ts';

/** How many of how many nodes are done. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

const NONE: Progress = { done: 0, total: 0 };

/** A node's share of the overall progress: nothing unless it does something itself. */
export function progressOf(node: NodeStatus | undefined): Progress {
  return node !== undefined && isExecutable(node) ? readProgress(node.progress) : NONE;
}

export function readProgress(text: string | undefined): Progress {
  const parts = /^(\d+)\/(\d+)$/.exec(text ?? '');
  return parts === null ? NONE : { done: Number(parts[1]), total: Number(parts[2]) };
}

export function formatProgress({ done, total }: Progress): string {
  return `${done}/${total}`;
}

/** The progress of a node that has just reached a phase: complete once it is good, as far as it came otherwise. */
export function progressAt(node: Pick<NodeStatus, 'phase' | 'progress'>): string {
  const { total } = readProgress(node.progress);
  const isDone = node.phase === 'Succeeded' || node.phase === 'Skipped' || node.phase === 'Omitted';
  return isDone ? `${total}/${total}` : (node.progress ?? '0/1');
}
