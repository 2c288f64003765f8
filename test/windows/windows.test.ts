import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { effectsImpossible, type FaultCluster, ownNodesImpossible } from '../faults/support/fault-cluster.ts';
import { runSeed, startCluster } from './run-seed.ts';

/** The everyday share; `npm run test:windows -- --seeds 200` is the long run. */
const SEEDS = [1, 2, 3];
const SEEDS_OF_NODES = [1, 2];

describe('windows of held faults', { skip: effectsImpossible }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster?.close());

  for (const seed of SEEDS) {
    test(`are those that an observer outside sees (seed ${seed})`, async () => {
      const { answers } = await runSeed(cluster, seed);
      assert.ok((answers ?? 0) > 0);
    });
  }

  for (const seed of SEEDS_OF_NODES) {
    test(`are those that an observer outside sees when a node is lost (seed ${seed})`, {
      skip: ownNodesImpossible,
    }, async () => {
      const { answers } = await runSeed(cluster, seed, 'nodes first');
      assert.ok((answers ?? 0) > 0);
    });
  }
});
