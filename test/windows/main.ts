/** `npm run test:windows -- --seeds 200`: the long run of the property about the windows of held faults. */
import { effectsImpossible, FaultCluster } from '../faults/support/fault-cluster.ts';
import { readSeedRange, runSeeds } from '../support/seeds.ts';
import { runSeed } from './run-seed.ts';

const EVERYDAY = 20;
const NODES = 3;

const range = readSeedRange(process.argv.slice(2), EVERYDAY);
if (effectsImpossible !== false) {
  console.error(effectsImpossible);
  process.exit(2);
}
const cluster = await FaultCluster.start(NODES);
const code = await runSeeds(range, 'test:windows', (seed) => runSeed(cluster, seed));
await cluster.close();
process.exit(code);
