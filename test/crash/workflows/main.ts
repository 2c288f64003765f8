/** `npm run test:crash:workflows -- [--seeds 1000] [--seed FIRST] [--parallel 8]`: workflows whose controllers are killed. */
import { parseArgs } from 'node:util';
import { type Figures, readSeedRange } from '../../support/seeds.ts';
import { startMarkCluster } from './cluster.ts';
import { runSeed } from './run-seed.ts';

/** Seeds without a number on the command line. */
const USUAL = 100;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    parallel: { type: 'string', default: '8' },
  },
});
const range = readSeedRange(
  [values.seeds && `--seeds=${values.seeds}`, values.seed && `--seed=${values.seed}`].filter(
    (option) => option !== undefined,
  ),
  USUAL,
);
await using cluster = await startMarkCluster();
const total = { kills: 0, pods: 0 };
const startedAt = performance.now();
let [next, passed] = [range.first, 0];
const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(0);

/** Takes one seed after the other until one fails or none is left. */
async function work(): Promise<void> {
  for (let seed = next++; seed < range.first + range.count && process.exitCode === undefined; seed = next++) {
    try {
      count(await runSeed(cluster, seed));
    } catch (error) {
      console.error(`seed ${seed} failed; repeat it with: npm run test:crash:workflows -- --seed ${seed}`);
      console.error(error);
      process.exitCode = 1;
    }
  }
}

function count({ kills = 0, pods = 0 }: Figures): void {
  total.kills += kills;
  total.pods += pods;
  passed += 1;
  if (passed % 50 === 0) console.log(`${passed} of ${range.count} seeds, ${seconds()} s`);
}

await Promise.all(Array.from({ length: Number(values.parallel) }, work));
console.log(`${passed} seeds passed in ${seconds()} s: ${total.kills} kills, ${total.pods} pods`);
