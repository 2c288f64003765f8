import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** How runs ended. The means of scores are computed anew, since runs without a score counted as 0. */
export const runOutcomes: Migration = {
  version: 14,
  name: 'run-outcomes',
  breaking: false,
  up: async (db) => {
    await db.schema.alterTable('runs').addColumn('outcome', 'text').execute();
    const scored = sql`from runs where runs.project_id = experiments.project_id and runs.experiment_id = experiments.id
      and runs.removed = 0 and runs.completed = 1 and (runs.phase = 'Completed_With_Probe_Failure'
        or (runs.phase = 'Completed' and runs.faults_passed + runs.faults_failed > 0))`;
    await sql`update experiments set
      completed_runs = (select count(*) ${scored}),
      score_sum = coalesce((select sum(runs.score) ${scored}), 0)`.execute(db);
  },
};
