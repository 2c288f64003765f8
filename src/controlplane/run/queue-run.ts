import { madeBy } from '../store/tables/columns.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { executionRows, recordExecutions } from './executions.ts';
import type { Fault } from './fault.ts';
import { followChange } from './follow-change.ts';

/** A requested run. */
interface NewRun {
  readonly experiment: ExperimentRow;
  readonly notifyID: string;
  /** Name of its object. */
  readonly name: string;
  readonly namespace: string;
  readonly username: string;
  readonly faults: readonly Fault[];
}

/** Records a run for its agent to begin. */
export async function queueRun(
  tx: Tx,
  { experiment, notifyID, name, namespace, username, faults }: NewRun,
): Promise<void> {
  const row: RunRow = {
    key: notifyID,
    project_id: experiment.project_id,
    experiment_id: experiment.id,
    infra_id: experiment.infra_id,
    revision_id: experiment.revision_id,
    run_id: null,
    notify_id: notifyID,
    name,
    namespace,
    sequence: experiment.total_runs + 1,
    phase: 'Queued',
    completed: 0,
    ended_by: null,
    origin: 'user',
    problem: null,
    outcome: null,
    final: 0,
    progress: 0,
    score: 0,
    faults_passed: 0,
    faults_failed: 0,
    faults_awaited: 0,
    faults_stopped: 0,
    faults_na: 0,
    faults_total: new Set(faults.map((fault) => fault.name)).size,
    ...madeBy(username, tx.now),
    removed: 0,
  };
  await tx.db.insertInto('runs').values(row).execute();
  await recordExecutions(tx, executionRows(row, faults, undefined, tx.now));
  await followChange(tx, undefined, row);
}
