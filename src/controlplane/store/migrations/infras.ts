import type { Migration } from '../migrate.ts';
import { AUTHORED, createTable } from './columns.ts';

/** Infrastructures, the actions for their agents, and the agents' replies. */
export const infras: Migration = {
  version: 2,
  name: 'infrastructures',
  breaking: false,
  up: async (db, dialect) => {
    await createTable(db, dialect, 'infras', {
      columns: {
        id: 'text',
        project_id: 'text',
        environment_id: 'text',
        name: 'text',
        description: 'text',
        tags: 'json',
        platform_name: 'text',
        scope: 'text',
        namespace: 'text',
        service_account: 'text',
        namespace_exists: 'flag',
        service_account_exists: 'flag',
        skip_ssl: 'flag',
        node_selector: 'text',
        tolerations: 'json',
        flavour: 'text',
        sealed_access_key: 'text',
        access_key_hash: 'text',
        former_key_hash: 'text?',
        registered: 'flag',
        confirmed: 'flag',
        active: 'flag',
        connection_id: 'text?',
        seen_at: 'time?',
        contested_until: 'time?',
        version: 'text',
        start_time: 'time',
        ...AUTHORED,
        removed: 'flag',
      },
      key: ['id'],
      indexes: [
        ['project_id', 'removed'],
        ['active', 'seen_at'],
      ],
    });
    await createTable(db, dialect, 'actions', {
      columns: {
        infra_id: 'text',
        request_id: 'text',
        request_type: 'text',
        manifest: 'bytes',
        namespace: 'text',
        external_data: 'text?',
        username: 'text',
        created_at: 'time',
        expires_at: 'time?',
        sent_at: 'time?',
        done_at: 'time?',
        outcome: 'text?',
      },
      key: ['seq'],
      unique: [['request_id']],
      indexes: [['infra_id', 'done_at', 'seq']],
    });
    await createTable(db, dialect, 'replies', {
      columns: { request_id: 'text', body: 'bytes', at: 'time' },
      key: ['seq'],
      indexes: [['request_id', 'seq'], ['at']],
    });
  },
};
