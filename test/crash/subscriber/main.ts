/** `npm run test:crash:subscriber -- --outages 1000 --events 20000 --seed 1`: outages over a stream of events; see outages.ts. */
import { parseArgs } from 'node:util';
import { surviveOutages } from './outages.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    events: { type: 'string', default: '20000' },
    outages: { type: 'string', default: '1000' },
  },
});
const [seed, events, outages] = [values.seed, values.events, values.outages].map(Number);
if (![seed, events, outages].every((value) => Number.isSafeInteger(value))) {
  throw new TypeError('--seed, --events and --outages take whole numbers');
}
const startedAt = performance.now();
const figures = await surviveOutages({
  seed: seed ?? 1,
  events: events ?? 0,
  outages: outages ?? 0,
  onProgress: (line) => console.log(line),
});
console.log(`passed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s:`, figures);
