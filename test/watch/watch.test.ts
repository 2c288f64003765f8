import { test } from 'node:test';
import { runSeed } from './run-seed.ts';

/** The everyday share; `npm run test:watch -- --seeds 1000` is the long run. */
const SEEDS = 20;

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`watches tell every change of their view once and in order (seed ${seed})`, async () => {
    await runSeed(seed);
  });
}
