import type { Migration } from '../migrate.ts';
import { createTable } from './columns.ts';

/** Data of the time axes of runs, with exact times. */
export const runRecords: Migration = {
  version: 10,
  name: 'run-records',
  breaking: false,
  up: (db, dialect) =>
    createTable(db, dialect, 'run_records', {
      columns: { run_key: 'text', object: 'text', data: 'bytes' },
      key: ['run_key', 'object'],
    }),
};
