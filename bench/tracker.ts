/**
 * The event tracker: how soon a change of a workload is sent, at rest and beside a workload of a megabyte that changes ten times a second,
 * and its memory.
 *
 * The tracker is a process of its own, against an embedded API server and the control plane of the tests.
 *
 *   npm run bench:tracker [-- --changes 40 --workloads 200 --policies 5 --json FILE]
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { startApi } from '@turnsole/kube/testing/api';
import { EVENT_TRACKER_POLICIES, type EventTrackerPolicy } from '../src/api/index.ts';
import { NotifiedServer } from '../src/components/event-tracker/testing/notified-server.ts';
import {
  createPolicy,
  createShop,
  createWorkload,
  defineKinds,
  setImage,
} from '../src/components/event-tracker/testing/tracked-shop.ts';
import { TrackerProcess } from '../test/crash/tracker/tracker-process.ts';
import { formatTable, summarize, writeJson } from './report.ts';

const NAMESPACE = 'shop';
const LARGE = 'large';
const LARGE_BYTES = 1_000_000;
const LARGE_EVERY_MS = 100;
const LIMIT_MS = 60_000;

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '40' },
    workloads: { type: 'string', default: '200' },
    policies: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
});
const [changes = 0, workloads = 0, policies = 0] = [values.changes, values.workloads, values.policies].map(
  Number,
);

await using stack = new AsyncDisposableStack();
const api = stack.use(await startApi(createApiServer));
await defineKinds(api.client);
const server = stack.use(await NotifiedServer.start());
await createShop(api.client, NAMESPACE, server.url);
await createPolicy(api.client, NAMESPACE, 'told');
// These look at every change, and none of them is theirs.
for (let index = 1; index < policies; index++) {
  const conditions = [{ key: `metadata.labels."label-${index}"`, operator: 'Change' as const }];
  await createPolicy(api.client, NAMESPACE, `other-${index}`, { conditions });
}
for (let index = 0; index < workloads; index++) await createWorkload(api.client, NAMESPACE, `web-${index}`);
const tracker = new TrackerProcess(api.server.kubeconfigPath, NAMESPACE);
stack.defer(() => tracker.kill());
tracker.start();
await untilTracked(workloads);

const atRest = await measure('rest');
const memoryAtRest = await memory();
await createWorkload(api.client, NAMESPACE, LARGE);
await untilTracked(workloads + 1);
const ending = new AbortController();
const churning = churn(ending.signal);
const besideLarge = await measure('large');
ending.abort();
const largeChanges = await churning;
const memoryAtMost = await memory();

console.log(
  formatTable([
    { title: 'change until it is sent, ms', ...summarize(atRest) },
    { title: 'beside a large one that changes, ms', ...summarize(besideLarge) },
  ]),
);
console.log(`the large one changed ${largeChanges} times meanwhile`);
console.log(`memory at rest ${memoryAtRest.now} MB; at most ${memoryAtMost.peak} MB`);
await writeJson(values.json, { benchmark: 'tracker', atRest, besideLarge, memoryAtRest, memoryAtMost });
await tracker.kill('SIGTERM');

/** Milliseconds from before the request for a change until the control plane has it. */
async function measure(tag: string): Promise<number[]> {
  const times: number[] = [];
  for (let change = 0; change < changes; change++) {
    const before = server.received.length;
    const startedAt = performance.now();
    const arrived = server
      .until(() => server.received.length > before)
      .then(() => performance.now() - startedAt);
    await setImage(api.client, NAMESPACE, `web-${change % workloads}`, `nginx:${tag}-${change}`);
    times.push(await arrived);
  }
  return times;
}

/** Changes a workload of a megabyte, with nothing that a policy looks at. */
async function churn(signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count++) {
    const text = String(count).padStart(200_000, '.');
    const annotations = Object.fromEntries([0, 1].map((index) => [`large-${index}`, text.slice(0, 100_000)]));
    // Annotations are limited to 256 KiB: the rest is an environment variable.
    const env = [{ name: 'LARGE', value: String(count).padStart(LARGE_BYTES - 200_000, '.') }];
    const template = { spec: { containers: [{ name: 'main', env }] } };
    const patch = { metadata: { annotations }, spec: { template } };
    const startedAt = performance.now();
    await api.client.patch(DEPLOYMENTS, LARGE, 'strategic', patch, { namespace: NAMESPACE });
    // The load is a fixed rate, not an event that could be waited for.
    await delay(Math.max(0, LARGE_EVERY_MS - (performance.now() - startedAt)));
  }
  return count;
}

async function untilTracked(count: number): Promise<void> {
  const isSo = (policy: EventTrackerPolicy | undefined): boolean =>
    Object.keys(policy?.status?.tracked ?? {}).length === count;
  const options = { namespace: NAMESPACE, timeoutMs: LIMIT_MS };
  await waitForObject<EventTrackerPolicy>(api.client, EVENT_TRACKER_POLICIES, 'told', isSo, options);
}

/** Megabytes of the tracker, now and at most. */
async function memory(): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${tracker.pid}/status`, 'utf8');
  const read = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_000);
  return { now: read('VmRSS'), peak: read('VmHWM') };
}
