import type { RunRow } from '../store/tables/runs.ts';

/** Effect of stopping a run. */
interface StopDecision {
  readonly columns: Pick<RunRow, 'phase' | 'completed' | 'ended_by' | 'final'>;
  /** Whether its agent has to stop it, because it has reported the object. */
  readonly inCluster: boolean;
}

/**
 * Decides how to stop a run; undefined for one that is over. A run that its agent has not received never begins, so it is final;
 * one that its agent has received but not reported is stopped at the agent's first report. Pure.
 *
 * @param wasWithdrawn whether the order to begin it could be withdrawn
 */
export function decideStop(run: RunRow, wasWithdrawn: boolean): StopDecision | undefined {
  if (run.completed === 1) return undefined;
  const final = wasWithdrawn ? 1 : run.final;
  return {
    columns: { phase: 'Stopped', completed: 1, ended_by: 'user', final },
    inCluster: run.run_id !== null,
  };
}
