import type { Migration } from '../migrate.ts';

/** Request types that agents have declared. */
export const agentAnswers: Migration = {
  version: 9,
  name: 'agent-answers',
  breaking: false,
  up: async (db) => {
    await db.schema.alterTable('infras').addColumn('answers', 'text').execute();
  },
};
