import type { Migration } from '../migrate.ts';
import { createTable } from './columns.ts';

/** Histogram of run durations, without runs that ended before. */
export const runDurations: Migration = {
  version: 11,
  name: 'run-durations',
  breaking: false,
  up: (db, dialect) =>
    createTable(db, dialect, 'run_durations', {
      columns: {
        project_id: 'text',
        experiment_id: 'text',
        infra_id: 'text',
        le: 'text',
        runs: 'count',
        seconds: 'real',
      },
      key: ['project_id', 'experiment_id', 'infra_id', 'le'],
    }),
};
