import type { Migration } from '../migrate.ts';

/** Why runs never began. Of those that ended before, the log of the server at that time knows. */
export const runProblems: Migration = {
  version: 12,
  name: 'run-problems',
  breaking: false,
  up: async (db) => {
    await db.schema.alterTable('runs').addColumn('problem', 'text').execute();
  },
};
