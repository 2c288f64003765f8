import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Reader } from '../store/transaction.ts';

/** Kind of the object of a run's experiment; a Workflow if the experiment was deleted. */
export async function experimentType(
  db: Reader,
  run: Pick<RunRow, 'project_id' | 'experiment_id'>,
): Promise<ExperimentRow['type']> {
  const row = await db
    .selectFrom('experiments')
    .select('type')
    .where('project_id', '=', run.project_id)
    .where('id', '=', run.experiment_id)
    .executeTakeFirst();
  return row?.type ?? 'experiment';
}
