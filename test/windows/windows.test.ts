import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { effectsImpossible, FaultCluster } from '../faults/support/fault-cluster.ts';
import { runSeed } from './run-seed.ts';

/** The everyday share; `npm run test:windows -- --seeds 200` is the long run. */
const SEEDS = [1, 2, 3];

describe('windows of held faults', { skip: effectsImpossible }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start(3);
  });
  after(() => cluster?.close());

  for (const seed of SEEDS) {
    test(`are those that an observer outside sees (seed ${seed})`, async () => {
      const { answers } = await runSeed(cluster, seed);
      assert.ok((answers ?? 0) > 0);
    });
  }
});
