/**
 * The operator at scale: the cost of 10,000 engines, a thousand at once, aborts, and a leader that ends.
 *
 * The operator is the command as the image has it, in a process of its own with the credentials of its service account. It works on
 * an embedded cluster with simulated nodes; what is real and what is not stands in README.md.
 *
 *   npm run bench:operator [-- --engines 10000 --runs 1000 --aborts 100 --touches 5 --no-watch --json FILE]
 */
import { parseArgs } from 'node:util';
import { startBenchCluster } from './operator/cluster.ts';
import { EngineTimes } from './operator/engines.ts';
import { operatorHome } from './operator/operator-process.ts';
import { abort, type Bench, handOver, populate, runAtOnce, touch } from './operator/phases.ts';
import { printOutcome } from './operator/print.ts';
import { MAX_AT_WORK } from './operator/runners.ts';
import { writeJson } from './report.ts';

/** What a stand-in experiment takes. */
const CHAOS_SECONDS = 1;

const { values } = parseArgs({
  options: {
    engines: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '1000' },
    aborts: { type: 'string', default: '100' },
    touches: { type: 'string', default: '5' },
    // Service accounts of upstream's charts may not watch pods.
    'no-watch': { type: 'boolean', default: false },
    // Options of Node for the operator, for comparisons.
    'node-option': { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
  },
});
const [engines = 0, runs = 0, aborts = 0, touches = 0] = [
  values.engines,
  values.runs,
  values.aborts,
  values.touches,
].map(Number);
if (aborts > MAX_AT_WORK) throw new RangeError(`--aborts: at most ${MAX_AT_WORK} engines run at a time`);

await using stack = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(1)));
}
const cluster = stack.use(await startBenchCluster({ mayWatch: !values['no-watch'] }));
const home = stack.use(await operatorHome(cluster, values['node-option']));
const times = new EngineTimes(cluster.client);
await times.start();
stack.defer(() => times.stop());
const bench: Bench = { cluster, home, times, operator: await home.start('alone') };
stack.defer(() => bench.operator.end('SIGKILL'));

const phase = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  const result = await work();
  console.error(`${title}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
};
const outcome = {
  benchmark: 'operator',
  mayWatch: !values['no-watch'],
  population: await phase('population', () => populate(bench, engines)),
  touches: await phase('touches', () => touch(bench, engines, touches)),
  runs: await phase('runs', () => runAtOnce(bench, runs, CHAOS_SECONDS)),
  aborts: await phase('aborts', () => abort(bench, aborts)),
  handOvers: await phase('hand-overs', () => handOver(bench, runs)),
};
printOutcome(outcome);
await writeJson(values.json, outcome);
