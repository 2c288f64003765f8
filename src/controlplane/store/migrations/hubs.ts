import type { Migration } from '../migrate.ts';
import { AUTHORED, createTable } from './columns.ts';

/** Hubs and image registries of projects. */
export const hubs: Migration = {
  version: 6,
  name: 'hubs',
  breaking: false,
  up: async (db, dialect) => {
    await createTable(db, dialect, 'hubs', {
      columns: {
        id: 'text',
        project_id: 'text',
        name: 'text',
        description: 'text',
        tags: 'json',
        hub_type: 'text',
        repo_url: 'text',
        repo_branch: 'text',
        remote_hub: 'text',
        private: 'flag',
        auth_type: 'text',
        user_name: 'text',
        sealed_secret: 'text?',
        ssh_public_key: 'text',
        synced_at: 'time',
        last_error: 'text',
        ...AUTHORED,
        removed: 'flag',
      },
      key: ['id'],
      indexes: [['project_id', 'removed', 'created_at']],
    });
    await createTable(db, dialect, 'registries', {
      columns: {
        project_id: 'text',
        id: 'text',
        is_default: 'flag',
        registry: 'text',
        repository: 'text',
        type: 'text',
        secret_name: 'text',
        secret_namespace: 'text',
        enabled: 'flag',
        ...AUTHORED,
      },
      key: ['project_id'],
    });
  },
};
