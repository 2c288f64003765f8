/** How far an experiment is, for the order. */
export type Progress = 'waiting' | 'running' | 'ended';

/**
 * Positions of the experiments to start now, given how far each is. Pure. Sequential: the first that waits, once nothing
 * runs. The one place to extend for other orders of `spec.execution`.
 */
export function nextToStart(progress: readonly Progress[]): number[] {
  if (progress.includes('running')) return [];
  const next = progress.indexOf('waiting');
  return next === -1 ? [] : [next];
}
