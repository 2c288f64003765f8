import type { Migration } from '../migrate.ts';

/** What began runs, and when keys of agents were replaced. */
export const provenance: Migration = {
  version: 16,
  name: 'provenance',
  breaking: false,
  up: async (db, dialect) => {
    await db.schema.alterTable('runs').addColumn('origin', 'text').execute();
    await db.schema
      .alterTable('infras')
      .addColumn('key_rotated_at', dialect === 'sqlite' ? 'integer' : 'bigint')
      .execute();
  },
};
