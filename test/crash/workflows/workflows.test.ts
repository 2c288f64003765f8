import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startMarkCluster } from './cluster.ts';
import { runSeed } from './run-seed.ts';

const SEEDS = 8;

it('no node runs twice and no output is lost when controllers are killed', { timeout: 120_000 }, async () => {
  await using cluster = await startMarkCluster();
  let kills = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) kills += (await runSeed(cluster, seed)).kills ?? 0;
  assert.ok(kills > 0, 'no controller was killed: the suite shows nothing');
});
