import type { Noun } from '../access/noun.ts';
import { readSetting } from './read-setting.ts';
import { runMetrics } from './run-metrics.ts';
import { setMetrics } from './set-metrics.ts';

/** Metrics of runs, from a Prometheus in their infrastructure. */
export const metricsNoun: Noun = {
  queries: {
    getRunMetrics: ({ experimentRunID }, context) => runMetrics(experimentRunID, context),
  },
  mutations: {
    setInfraMetrics: async ({ infraID, request }, context) => {
      const setting = request === null || request === undefined ? null : readSetting(request);
      await setMetrics(infraID, setting, context);
      return setting;
    },
  },
};
