/**
 * `npm run test:crash:cloud -- --vendor aws --seeds 50 --seed 1`: experiments of clouds' faults are killed at their requests, and recovered. See
 * live-through.ts.
 */
import { parseArgs } from 'node:util';
import { startExperimentCluster } from '../../support/experiment-cluster.ts';
import { liveThrough } from './live-through.ts';
import { VENDORS } from './vendors.ts';

/** Most of a seed is waiting. */
const AT_A_TIME = 6;

const { values } = parseArgs({
  options: {
    vendor: { type: 'string', default: 'aws' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '50' },
  },
});
const vendor = VENDORS[values.vendor];
const [first = 1, seeds = 0] = [values.seed, values.seeds].map(Number);
if (vendor === undefined) throw new TypeError(`--vendor is one of ${Object.keys(VENDORS).join(', ')}`);
if (![first, seeds].every((value) => Number.isSafeInteger(value))) {
  throw new TypeError('--seed and --seeds take whole numbers');
}
if (vendor.missing !== false) {
  console.log(`left out: ${vendor.missing}`);
  process.exit(0);
}
const endings: (() => unknown)[] = [];
const cluster = await startExperimentCluster({ after: (hook) => void endings.push(hook as () => unknown) });
await using peer = await vendor.start();
const startedAt = performance.now();
const deaths = new Map<string, number>();
let failed = 0;
let next = first;
await Promise.all(Array.from({ length: AT_A_TIME }, work));
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
const sum = [...deaths].map(([fault, count]) => `${fault} ${count}`).join(', ');
console.log(`${seeds - failed} of ${seeds} seeds passed in ${seconds} s; killed: ${sum}`);
for (const end of endings) await end();
if (failed > 0) process.exitCode = 1;

/** Takes seeds until there is none left. */
async function work(): Promise<void> {
  for (let seed = next++; seed < first + seeds; seed = next++) {
    try {
      const life = await liveThrough(cluster, peer, seed);
      deaths.set(life.fault, (deaths.get(life.fault) ?? 0) + life.deaths);
    } catch (error) {
      failed++;
      console.log(`failed: npm run test:crash:cloud -- --vendor ${values.vendor} --seed ${seed} --seeds 1`);
      console.log(error instanceof Error ? error.message : error);
    }
  }
}
