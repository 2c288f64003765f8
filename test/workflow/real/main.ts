/**
 * `npm run test:workflow:real`: Argo's own examples really run, as pods of the embedded cluster.
 *
 *   npm run test:workflow:real -- [--argo DIR] [--classes P,A,V,K,N,X] [--only TEXT] [--parallel 8] [--limit SECONDS] [--kubeconfig FILE]
 *
 * DIR has `examples/` with the manifests and `recorded/` with what Argo's controller made of them.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import { startExampleCluster } from './cluster.ts';
import { EXAMPLES } from './examples.ts';
import { prepare } from './prepare.ts';
import { fileOf, type Outcome, runExample } from './run-example.ts';
import { missesBars, scores } from './score.ts';

const BESIDE_THE_CHECKOUT = resolve(import.meta.dirname, '../../../../shared/argo');
const NAMESPACE = 'argo';

const { values } = parseArgs({
  options: {
    argo: { type: 'string', default: BESIDE_THE_CHECKOUT },
    classes: { type: 'string', default: 'P,A,V,K,N,X' },
    only: { type: 'string' },
    parallel: { type: 'string', default: '8' },
    limit: { type: 'string', default: '240' },
    // A cluster that runs already, with the images that cluster.ts names.
    kubeconfig: { type: 'string' },
  },
});
const examples = join(values.argo, 'examples');
if (!existsSync(examples)) {
  console.log(`test:workflow:real skipped: no examples at ${examples}; say where they are with --argo DIR`);
} else {
  process.exitCode = await runAll();
}

async function runAll(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const client =
    values.kubeconfig === undefined
      ? stack.use(await startExampleCluster('full')).client
      : stack.adopt(createClient(await loadKubeconfig({ path: values.kubeconfig })), (own) => own.close());
  await prepare(client, examples, NAMESPACE);
  const classes = new Set(values.classes.split(','));
  const wanted = EXAMPLES.filter(
    (example) => classes.has(example.class) && example.name.includes(values.only ?? ''),
  );
  const queue = wanted.filter((example) => fileOf(examples, example) !== undefined);
  const missing = wanted.length - queue.length;
  if (missing > 0) console.log(`${missing} of ${wanted.length} examples are not in ${examples}`);
  const outcomes: Outcome[] = [];
  const surroundings = {
    client,
    namespace: NAMESPACE,
    examples,
    recordings: join(values.argo, 'recorded'),
    limitMs: Number(values.limit) * 1000,
  };
  const worker = async (): Promise<void> => {
    for (let example = queue.shift(); example !== undefined; example = queue.shift()) {
      const outcome = await runExample(example, surroundings);
      outcomes.push(outcome);
      const { problem, seconds } = outcome;
      const line = `${example.class} ${example.name} (${seconds.toFixed(1)} s)`;
      console.log(problem === undefined ? `ok   ${line}` : `FAIL ${line}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, worker));
  for (const { title, passed, ran, all } of scores(outcomes)) {
    console.log(`${title}: ${passed} of ${ran} that ran${all === ran ? '' : ` (${all} in all)`}`);
  }
  const misses = missesBars(outcomes);
  for (const miss of misses) console.log(miss);
  return misses.length === 0 ? 0 : 1;
}
