/**
 * Records how scenarios end on a real cluster: `npm run conformance:controllers:record [-- --all] [part of a name…]`, with
 * KUBECONFIG naming a cluster of one node that has the scenarios' image. New and changed scenarios are recorded; `--all`
 * records all again, `--check` writes nothing and tells what does not end as recorded. See README.md.
 */

import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import { NAMESPACES, NODES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/index';
import type { LabCluster } from './harness/lab.ts';
import { runAll } from './harness/parallel.ts';
import { type RecordedOutcome, readRecording, writeRecording } from './harness/recording.ts';
import { describeOutcome } from './harness/replay.ts';
import { digestOf, runControllerScenario } from './harness/run.ts';
import { namespaceOf, type Shown } from './harness/scenario.ts';
import { CONTROLLER_THEMES } from './scenarios/index.ts';

const LIMIT_MS = 180_000;
const CONCURRENCY = 8;

const args = process.argv.slice(2);
const isAll = args.includes('--all');
const isCheck = args.includes('--check');
const words = args.filter((arg) => !arg.startsWith('--'));

const config = await loadKubeconfig();
const client = createClient(config);
const [node] = (await client.list(NODES)).items;
if (node === undefined) throw new Error('cannot record: the cluster has no node');
const cluster: LabCluster = { client, node: node.metadata.name, limitMs: LIMIT_MS };
const { gitVersion } = await client.raw<{ gitVersion: string }>('GET', '/version');
const recorded = new Map<string, RecordedOutcome>();
for (const { theme } of CONTROLLER_THEMES) {
  for (const outcome of readRecording(theme).scenarios) recorded.set(outcome.name, outcome);
}

let failures = 0;
await runAll(CONTROLLER_THEMES, CONCURRENCY, async (scenario) => {
  const present = recorded.get(scenario.name);
  const digest = digestOf(scenario);
  if (words.length > 0 && !words.some((word) => scenario.name.includes(word))) return;
  if (!isAll && !isCheck && words.length === 0 && present?.digest === digest) return;
  try {
    const namespace = namespaceOf(scenario);
    await client.delete(NAMESPACES, namespace).catch(() => undefined);
    const gone = { timeoutMs: LIMIT_MS };
    await waitForObject(client, NAMESPACES, namespace, (object) => object === undefined, gone);
    const shown = await runControllerScenario(scenario, cluster, undefined, AbortSignal.timeout(300_000));
    if (isCheck) tell(scenario.name, describeOutcome(present?.shown ?? [], shown, []));
    else {
      recorded.set(scenario.name, { name: scenario.name, digest, shown: plain(shown) });
      write();
    }
    process.stdout.write(`${scenario.name} done\n`);
  } catch (error) {
    failures += 1;
    process.stdout.write(`${scenario.name} failed: ${String(error)}\n`);
  }
});
client.close();

process.exitCode = failures === 0 ? 0 : 1;

function tell(name: string, difference: string | undefined): void {
  if (difference === undefined) return;
  failures += 1;
  process.stdout.write(`${name} does not end as recorded\n${difference}\n`);
}

/** What is recorded so far, so that a recording that is cut short keeps it. */
function write(): void {
  for (const { theme, scenarios } of CONTROLLER_THEMES) {
    const outcomes = scenarios.flatMap(({ name }) => recorded.get(name) ?? []);
    writeRecording(theme, { server: gitVersion, scenarios: outcomes });
  }
}

function plain(shown: readonly Shown[]): readonly Shown[] {
  return JSON.parse(JSON.stringify(shown)) as readonly Shown[]; // the same, as it will be read
}
