import { test } from 'node:test';
import { prepare, runSeed } from './run-seed.ts';
import { startTarget } from './target.ts';

/** The everyday share; `npm run test:fuzz -- --seeds 1000` is the long run. */
const SEEDS = 30;

test('hostile clients get errors and harm nobody', async (t) => {
  await using target = await startTarget();
  await prepare(target);
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await t.test(`seed ${seed}`, async () => {
      await runSeed(target, seed);
    });
  }
});
