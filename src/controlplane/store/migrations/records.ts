import type { Migration } from '../migrate.ts';
import { createTable } from './columns.ts';

/** Numbered changes, the audit log, and the server's own settings. */
export const records: Migration = {
  version: 3,
  name: 'records',
  breaking: false,
  up: async (db, dialect) => {
    await createTable(db, dialect, 'changes', {
      columns: { project_id: 'text', kind: 'text', object_id: 'text', body: 'json', at: 'time' },
      key: ['seq'],
      indexes: [['project_id', 'seq'], ['at']],
    });
    await createTable(db, dialect, 'audit', {
      columns: {
        at: 'time',
        project_id: 'text?',
        actor_kind: 'text',
        actor_id: 'text',
        actor_name: 'text',
        address: 'text',
        operation: 'text',
        object_kind: 'text',
        object_id: 'text',
        before: 'json?',
        after: 'json?',
      },
      key: ['seq'],
      indexes: [['project_id', 'seq'], ['actor_id', 'seq'], ['at']],
    });
    await createTable(db, dialect, 'settings', {
      columns: { key: 'text', value: 'text' },
      key: ['key'],
    });
  },
};
