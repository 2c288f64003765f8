/**
 * Many targets on one node: how long until all of them are hit. As root, with isolated pods.
 *
 *   npm run bench:targets [-- --pods 100] [--fault pod-network-loss] [--json FILE]
 *
 * Times come from what the cluster recorded: the engine's and the helper pod's own, and those of the ledger.
 */
import { parseArgs } from 'node:util';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../src/api/index.ts';
import { chaosAccount, documents, engine, experiment } from '../test/support/manifests.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../test/support/up.ts';
import { writeJson } from './report.ts';

const ENGINE = 'many';
const HOLD_SECONDS = 10;
const LIMIT_MS = 180_000;

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '100' },
    fault: { type: 'string', default: 'pod-network-loss' },
    json: { type: 'string' },
  },
});
const pods = Number(values.pods);

const sleepers = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: ${pods}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{ name: web, image: sleeper }]
`;

async function measure({ client }: DetachedCluster): Promise<Readonly<Record<string, number>>> {
  await applyText(client, documents(sleepers, chaosAccount(), experiment(values.fault)));
  const env = { PODS_AFFECTED_PERC: '100', TOTAL_CHAOS_DURATION: String(HOLD_SECONDS) };
  await applyText(client, engine({ name: ENGINE, experiments: [{ name: values.fault, env }] }));
  const options = { namespace: 'default', timeoutMs: LIMIT_MS };
  const ended = await waitForObject<ChaosEngine>(
    client,
    CHAOS_ENGINES,
    ENGINE,
    (seen) => seen?.status?.engineStatus === 'completed',
    options,
  );
  const result = await client.get<ChaosResult>(CHAOS_RESULTS, `${ENGINE}-${values.fault}`, options);
  const entries = Object.values(result.status?.ledger ?? {});
  const verdict = result.status?.experimentStatus?.verdict;
  if (verdict !== 'Pass' || entries.length !== pods) {
    throw new Error(
      `${entries.length} of ${pods} targets, verdict ${verdict}: ${result.status?.experimentStatus?.errorOutput?.reason}`,
    );
  }
  const { items } = await client.list<Pod>(PODS, options);
  const helper = items.find(({ metadata }) => metadata.name.includes('-helper-'));
  const created = Date.parse(String(ended?.metadata.creationTimestamp));
  const helperMade = Date.parse(String(helper?.metadata.creationTimestamp));
  const planned = Math.min(...entries.map(({ plannedAt = '' }) => Date.parse(plannedAt)));
  const injected = entries.map(({ injectedAt = '' }) => Date.parse(injectedAt));
  return {
    'planned to all injected': Math.max(...injected) - planned,
    'helper created to all injected (second of creation)': Math.max(...injected) - helperMade,
    'engine created to all injected (second of creation)': Math.max(...injected) - created,
  };
}

await using cluster = await detachedCluster(['--isolation', 'full', '--image', 'sleeper=sleep 1000000']);
const figures = await measure(cluster);
console.log(`${values.fault} on ${pods} pods of one node, in milliseconds\n`);
for (const [title, value] of Object.entries(figures)) console.log(`${title.padEnd(54)}${value}`);
await writeJson(values.json, { benchmark: 'targets', fault: values.fault, pods, unit: 'ms', figures });
