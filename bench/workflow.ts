/**
 * The workflow controller at scale: from the end of a step to the next pod, workflows of one step, chains, fan-outs and dags.
 *
 * The controller is a process of its own; pods are simulated and end at once. What is real and what is not stands in README.md.
 *
 *   npm run bench:workflow [-- --many 1,100,1000 --held 1000 --chain 200 --fan-out 1000 --dags 100,1000,10000 --peer COMMAND --json FILE]
 */
import { parseArgs } from 'node:util';
import { writeJson } from './report.ts';
import { startBenchCluster } from './workflow/cluster.ts';
import { ControllerProcess } from './workflow/controller-process.ts';
import { type Bench, chainOf, dagOf, fanOutOf, holding, many } from './workflow/phases.ts';
import { printOutcome, type WorkflowOutcome } from './workflow/print.ts';
import { Times } from './workflow/times.ts';

const { values } = parseArgs({
  options: {
    many: { type: 'string', default: '1,100,1000' },
    held: { type: 'string', default: '1000' },
    chain: { type: 'string', default: '200' },
    'fan-out': { type: 'string', default: '1000' },
    dags: { type: 'string', default: '100,1000,10000' },
    // The command of another controller; it finds the API server by KUBECONFIG.
    peer: { type: 'string' },
    json: { type: 'string' },
  },
});
const numbers = (text: string): number[] => text.split(',').map(Number);

await using stack = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(1)));
}
const cluster = stack.use(await startBenchCluster());
const times = new Times(cluster.client);
await times.start();
stack.defer(() => times.stop());
const controller = stack.use(await ControllerProcess.start(cluster.proxy.url, values.peer));
const bench: Bench = { cluster, controller, times };

const phase = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  const result = await work();
  console.error(`${title}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
};
const each = async <T>(title: string, counts: string, work: (count: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (const count of numbers(counts)) results.push(await phase(`${title} ${count}`, () => work(count)));
  return results;
};
// The first workflow waits for the controller's start as well.
await phase('warm-up', () => many(bench, 5));
const outcome: WorkflowOutcome = {
  benchmark: 'workflow',
  controller: values.peer ?? 'turnsole',
  // Before others have filled the heap.
  held: await phase('held', () => holding(bench, Number(values.held))),
  many: await each('workflows', values.many, (count) => many(bench, count)),
  chain: await phase('chain', () => chainOf(bench, Number(values.chain))),
  fanOut: await phase('fan-out', () => fanOutOf(bench, Number(values['fan-out']))),
  dags: await each('dag', values.dags, (count) => dagOf(bench, count)),
};
printOutcome(outcome);
await writeJson(values.json, outcome);
