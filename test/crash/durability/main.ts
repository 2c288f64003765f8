/** `npm run test:crash -- --seeds 1000 [--first 1]`: kills servers and checks what they leave; prints figures. */
import { parseArgs } from 'node:util';
import { runSeeds } from './run.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '100' }, first: { type: 'string', default: '1' } },
});
const seeds = Number(values.seeds);
const startedAt = performance.now();
const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
const figures = await runSeeds(Number(values.first), seeds, (done, { acknowledged }) => {
  if (done % 50 === 0)
    console.log(`${done} of ${seeds} seeds, ${acknowledged} acknowledged writes, ${seconds()}`);
});
console.log(`all ${seeds} seeds passed in ${seconds()}`);
console.table(figures);
