import type { Migration } from '../migrate.ts';
import { createTable } from './columns.ts';

/** The safety levers of infrastructures. */
export const halts: Migration = {
  version: 8,
  name: 'halts',
  breaking: false,
  up: (db, dialect) =>
    createTable(db, dialect, 'halts', {
      columns: {
        infra_id: 'text',
        project_id: 'text',
        halted: 'flag',
        reason: 'text',
        asked_by: 'text',
        asked_at: 'time',
        request_id: 'text?',
      },
      key: ['infra_id'],
      indexes: [['project_id']],
    }),
};
