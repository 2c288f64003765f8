/** A few seeds of each vendor; `npm run test:crash:cloud` takes more. */
import { describe, test } from 'node:test';
import { type ExperimentCluster, shareExperimentCluster } from '../../support/experiment-cluster.ts';
import { liveThrough } from './live-through.ts';
import { VENDORS } from './vendors.ts';

const SEEDS = [1, 2, 3];

describe('experiments of clouds that are killed at a request leave nothing', () => {
  let cluster: ExperimentCluster;
  shareExperimentCluster((started) => {
    cluster = started;
  });
  for (const [name, vendor] of Object.entries(VENDORS)) {
    test(name, { skip: vendor.missing }, async () => {
      await using peer = await vendor.start();
      for (const seed of SEEDS) await liveThrough(cluster, peer, seed);
    });
  }
});
