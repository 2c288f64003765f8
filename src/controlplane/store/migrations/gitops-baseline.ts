import type { Migration } from '../migrate.ts';

/** What a repository held when it was connected. */
export const gitopsBaseline: Migration = {
  version: 15,
  name: 'gitops-baseline',
  breaking: false,
  up: async (db) => {
    await db.schema.alterTable('gitops').addColumn('baseline', 'text').execute();
  },
};
