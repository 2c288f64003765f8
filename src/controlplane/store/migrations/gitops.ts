import type { Migration } from '../migrate.ts';
import { AUTHORED, createTable } from './columns.ts';

/** Repositories with experiments. */
export const gitops: Migration = {
  version: 7,
  name: 'gitops',
  breaking: false,
  up: async (db, dialect) => {
    await createTable(db, dialect, 'gitops', {
      columns: {
        project_id: 'text',
        repo_url: 'text',
        branch: 'text',
        auth_type: 'text',
        user_name: 'text',
        sealed_secret: 'text?',
        latest_commit: 'text',
        synced_at: 'time',
        checked_at: 'time',
        last_error: 'text',
        problems: 'json',
        ...AUTHORED,
      },
      key: ['project_id'],
      indexes: [['checked_at']],
    });
    await createTable(db, dialect, 'gitops_files', {
      columns: {
        project_id: 'text',
        experiment_id: 'text',
        path: 'text',
        name: 'text',
        hash: 'text',
        revision_id: 'text',
      },
      key: ['project_id', 'experiment_id'],
    });
  },
};
