import type { RunRow } from '../store/tables/runs.ts';

/** What stopping a run changes of it. */
interface StopDecision {
  readonly columns: Pick<RunRow, 'phase' | 'completed' | 'ended_by' | 'final'>;
  /** Whether its agent has to stop it: it has told which object it is. */
  readonly inCluster: boolean;
}

/**
 * Decides how a run is stopped; undefined for one that is over. A run whose agent has not even got it never begins, so its last word is
 * said; one that its agent has got, and not told of, is stopped by that agent's first word. Pure.
 *
 * @param wasWithdrawn whether the order to begin it could be taken back
 */
export function decideStop(run: RunRow, wasWithdrawn: boolean): StopDecision | undefined {
  if (run.completed === 1) return undefined;
  const final = wasWithdrawn ? 1 : run.final;
  return {
    columns: { phase: 'Stopped', completed: 1, ended_by: 'user', final },
    inCluster: run.run_id !== null,
  };
}
