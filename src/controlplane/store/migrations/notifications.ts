import type { Migration } from '../migrate.ts';
import { AUTHORED, createTable } from './columns.ts';

/** Webhooks of projects, and deliveries to them. */
export const notifications: Migration = {
  version: 5,
  name: 'notifications',
  breaking: false,
  up: async (db, dialect) => {
    await createTable(db, dialect, 'webhooks', {
      columns: {
        project_id: 'text',
        id: 'text',
        name: 'text',
        sealed_url: 'text',
        shown_url: 'text',
        format: 'text',
        events: 'json',
        sealed_secret: 'text',
        enabled: 'flag',
        ...AUTHORED,
      },
      key: ['project_id', 'id'],
    });
    await createTable(db, dialect, 'deliveries', {
      columns: {
        id: 'text',
        project_id: 'text',
        webhook_id: 'text',
        event: 'text',
        body: 'json',
        state: 'text',
        attempts: 'count',
        due_at: 'time',
        last_error: 'text',
        created_at: 'time',
        done_at: 'time?',
      },
      key: ['seq'],
      unique: [['id']],
      indexes: [
        ['state', 'due_at'],
        ['project_id', 'seq'],
        ['webhook_id', 'state'],
      ],
    });
  },
};
