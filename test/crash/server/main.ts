/** `npm run test:crash:server -- --seeds 1000 --seed 1`: a server dies again and again under load; see survive.ts. */
import { parseArgs } from 'node:util';
import { surviveKills } from './survive.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, seeds: { type: 'string', default: '1000' } },
});
const [seed, lives] = [values.seed, values.seeds].map(Number);
if (![seed, lives].every((value) => Number.isSafeInteger(value))) {
  throw new TypeError('--seed and --seeds take whole numbers');
}
const startedAt = performance.now();
const found = await surviveKills({ seed: seed ?? 1, lives: lives ?? 0, onLife: (line) => console.log(line) });
console.log(
  `passed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${found} acknowledged objects were found again`,
);
