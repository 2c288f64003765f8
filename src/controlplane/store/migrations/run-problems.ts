import type { Migration } from '../migrate.ts';

/** Why runs never began. For runs that ended before, only the server's log of that time has the reason. */
export const runProblems: Migration = {
  version: 12,
  name: 'run-problems',
  breaking: false,
  up: async (db) => {
    await db.schema.alterTable('runs').addColumn('problem', 'text').execute();
  },
};
