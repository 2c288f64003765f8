/**
 * `npm run test:crash:runs -- [--family NAME] [--seeds 500] [--seed FIRST] [--parallel 6] [--lease 10]`: kills what runs chaos, and
 * audits what is left.
 */
import { parseArgs } from 'node:util';
import { effectsImpossible } from '../../faults/support/fault-cluster.ts';
import { defaultParallel, FAMILIES, isFamily } from './families.ts';
import { summarize } from './meter.ts';
import { runBatches } from './run-batches.ts';

const { values } = parseArgs({
  options: {
    family: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string' },
    lease: { type: 'string', default: '10' },
  },
});
const { family } = values;
if (family !== undefined && !isFamily(family)) {
  throw new Error(`--family ${family}: there are ${Object.keys(FAMILIES).join(', ')}`);
}
if (effectsImpossible !== false && family !== 'marks') {
  if (family !== undefined) throw new Error(`--family ${family}: ${effectsImpossible}`);
  console.warn(`only marks: ${effectsImpossible}`);
}
const startedAt = performance.now();
const count = Number(values.seeds);
const parallel = Number(values.parallel ?? defaultParallel(family));
const draw = { family, isolated: effectsImpossible === false, leaseSeconds: Number(values.lease) };
const { hits, faults, recoveries, residues } = await runBatches(
  Number(values.seed),
  count,
  parallel,
  draw,
  (done, figures) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `${done} of ${count} seeds, hits ${JSON.stringify(figures.hits)}, ${figures.recoveries} recoveries, ${seconds} s`,
    );
  },
  (failure) => console.error(failure),
);
for (const line of summarize(residues)) console.log(line);
console.log(`faults ${JSON.stringify(faults)}`);
console.log(`all ${count} seeds passed: hits ${JSON.stringify(hits)}, ${recoveries} recoveries`);
