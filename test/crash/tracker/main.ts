/** `npm run test:crash:tracker -- --seeds 1000 --seed 1 --kills 20`: trackers die at every step, see lives.ts; and as processes, see kills.ts. */
import { parseArgs } from 'node:util';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { defineKinds } from '../../../src/components/event-tracker/testing/tracked-shop.ts';
import { surviveKills } from './kills.ts';
import { liveThrough } from './lives.ts';

/** Most of a seed is waiting. */
const AT_A_TIME = 8;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '20' },
  },
});
const [first = 1, seeds = 0, kills = 0] = [values.seed, values.seeds, values.kills].map(Number);
if (![first, seeds, kills].every((value) => Number.isSafeInteger(value))) {
  throw new TypeError('--seed, --seeds and --kills take whole numbers');
}
await using api = await startApi(createApiServer);
await defineKinds(api.client);
const startedAt = performance.now();
const sum = { deaths: 0, repeated: 0 };
let next = first;
await Promise.all(Array.from({ length: AT_A_TIME }, work));
console.log(`${seeds} seeds passed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s:`, sum);
if (kills > 0) console.log(`killed as a process:`, await surviveKills(api, first, kills));

/** Takes seeds until there is none left. */
async function work(): Promise<void> {
  for (let seed = next++; seed < first + seeds; seed = next++) {
    try {
      const { deaths, repeated } = await liveThrough(api.client, seed);
      sum.deaths += deaths;
      sum.repeated += repeated;
    } catch (error) {
      console.log(`failed: npm run test:crash:tracker -- --seed ${seed} --seeds 1 --kills 0`);
      throw error;
    }
    const done = seed - first + 1;
    if (done % 50 === 0)
      console.log(`${done} seeds, ${sum.deaths} deaths, ${sum.repeated} notifications a second time`);
  }
}
