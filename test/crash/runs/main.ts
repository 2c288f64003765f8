/** `npm run test:crash:runs -- [--seeds 500] [--seed FIRST] [--parallel 6]`: kills what runs chaos, and audits what is left. */
import { parseArgs } from 'node:util';
import { runBatches } from './run-batches.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '6' },
  },
});
const startedAt = performance.now();
const count = Number(values.seeds);
const figures = await runBatches(
  Number(values.seed),
  count,
  Number(values.parallel),
  (done, { hits, recoveries }) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `${done} of ${count} seeds, hits ${JSON.stringify(hits)}, ${recoveries} recoveries, ${seconds} s`,
    );
  },
  (failure) => console.error(failure),
);
console.log(`all ${count} seeds passed: ${JSON.stringify(figures)}`);
