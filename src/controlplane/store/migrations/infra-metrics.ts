import type { Migration } from '../migrate.ts';

/** The Prometheus for the metrics of runs. */
export const infraMetrics: Migration = {
  version: 13,
  name: 'infra-metrics',
  breaking: false,
  up: async (db) => {
    await db.schema.alterTable('infras').addColumn('metrics', 'text').execute();
  },
};
