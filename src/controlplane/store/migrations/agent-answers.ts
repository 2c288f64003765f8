import type { Migration } from '../migrate.ts';

/** What agents say that they answer. */
export const agentAnswers: Migration = {
  version: 9,
  name: 'agent-answers',
  breaking: false,
  up: async (db) => {
    await db.schema.alterTable('infras').addColumn('answers', 'text').execute();
  },
};
