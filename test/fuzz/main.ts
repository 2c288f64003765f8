/** `npm run test:fuzz -- --seeds 1000`: the long run of hostile clients. */
import { readSeedRange, runSeeds } from '../support/seeds.ts';
import { prepare, runSeed, worst } from './run-seed.ts';
import { startTarget } from './target.ts';

const EVERYDAY = 100;

await using target = await startTarget();
await prepare(target);
process.exitCode = await runSeeds(readSeedRange(process.argv.slice(2), EVERYDAY), 'test:fuzz', (seed) =>
  runSeed(target, seed),
);
const { delayMs, controlMs, rssBytes } = worst;
console.log(
  `worst event loop delay ${delayMs.toFixed(0)} ms, slowest good request ${controlMs.toFixed(0)} ms, memory ${(rssBytes / 2 ** 20).toFixed(0)} MiB`,
);
