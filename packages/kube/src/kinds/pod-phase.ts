import type { Pod } from './core.ts';

/** Whether a pod has come to its end: its phase is Succeeded or Failed. */
export function isFinished({ status }: Pick<Pod, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether a pod is neither finished nor on its way out. */
export function isActive(pod: Pick<Pod, 'status' | 'metadata'>): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}
