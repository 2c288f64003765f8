/**
 * `npm run test:windows -- --seeds 200`: the long run of the property about the windows of held faults; with `--nodes` each seed
 * begins with the loss of a node.
 */
import { effectsImpossible } from '../faults/support/fault-cluster.ts';
import { readSeedRange, runSeeds } from '../support/seeds.ts';
import { runSeed, startCluster } from './run-seed.ts';

const EVERYDAY = 20;

const words = process.argv.slice(2);
const kinds = words.includes('--nodes') ? 'nodes first' : undefined;
const range = readSeedRange(
  words.filter((word) => word !== '--nodes'),
  EVERYDAY,
);
if (effectsImpossible !== false) {
  console.error(effectsImpossible);
  process.exit(2);
}
const cluster = await startCluster();
const code = await runSeeds(range, 'test:windows', (seed) => runSeed(cluster, seed, kinds));
await cluster.close();
process.exit(code);
