/**
 * The subscriber: how soon a stop is carried out, at rest and while a large log is being sent, and what memory it needs.
 *
 * The subscriber is a process of its own, against an embedded API server and the control plane of the tests. Logs come from a stand-in
 * (subscriber/log-proxy.ts).
 *
 *   npm run bench:subscriber [-- --stops 40 --log-mib 1024 --runs 2000 --json FILE]
 */
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { bundle } from '../build/bundle.ts';
import { TestControlPlane } from '../src/components/subscriber/testing/control-plane.ts';
import {
  createInfrastructure,
  defineRunKinds,
  environment,
} from '../src/components/subscriber/testing/infrastructure.ts';
import { PACKAGE_ROOT } from '../src/process/package-root.ts';
import { Choices } from '../test/crash/durability/random.ts';
import { Stream } from '../test/crash/subscriber/stream.ts';
import { SubscriberProcess } from '../test/crash/subscriber/subscriber-process.ts';
import { formatTable, summarize, writeJson } from './report.ts';
import { startLogProxy } from './subscriber/log-proxy.ts';
import { measureStops, runLabels } from './subscriber/stops.ts';

const NAMESPACE = 'infra';
const MIB = 1024 * 1024;

const { values } = parseArgs({
  options: {
    stops: { type: 'string', default: '40' },
    'log-mib': { type: 'string', default: '1024' },
    runs: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
});
const [stops = 0, logMib = 0, runs = 0] = [values.stops, values['log-mib'], values.runs].map(Number);

await using stack = new AsyncDisposableStack();
const api = stack.use(await startApi(createApiServer));
await defineRunKinds(api.client);
await createInfrastructure(api.client, NAMESPACE);
const proxy = stack.use(await startLogProxy(api.server.adminConfig, logMib * MIB));
let logBytes = 0;
const server = stack.use(
  await TestControlPlane.start({
    reply: ({ field, request }) => {
      if (field === 'podLog') logBytes += String(request.log).length;
      return undefined;
    },
    keeps: ({ field }) => field !== 'podLog' && field !== 'chaosExperimentRun',
  }),
);
const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));
const kubeconfig = join(folder, 'kubeconfig');
await writeFile(kubeconfig, kubeconfigOf(proxy.url));
// The bundle that the image has: sources need memory for their compiler.
await bundle(PACKAGE_ROOT, join(folder, 'dist'));
await copyFile(join(PACKAGE_ROOT, 'package.json'), join(folder, 'package.json'));
// As the installed Deployment has it.
const env = { ...environment(NAMESPACE, server.url, join(folder, 'spool')), MALLOC_ARENA_MAX: '1' };
const subscriber = new SubscriberProcess(kubeconfig, env, join(folder, 'dist', 'main.js'));
stack.defer(() => subscriber.kill());
subscriber.start();
await server.until(() => server.isSubscribed);

const names = (prefix: string): string[] => Array.from({ length: stops }, (_, index) => `${prefix}-${index}`);
const atRest = await measureStops(api.client, server, NAMESPACE, names('rest'));
const memoryAtRest = await memoryOf(subscriber);

const pieces = logOf('pieces', { pieces: true });
const besideLog = await measureStops(api.client, server, NAMESPACE, names('log'));
const sentMeanwhile = logBytes;
await pieces;
const memoryPieces = await memoryOf(subscriber);

logBytes = 0;
await logOf('whole', {});
const memoryWhole = await memoryOf(subscriber);

await changeLargeRun(50);
const memoryLarge = await memoryOf(subscriber);

const stream = new Stream(api.client, NAMESPACE, new Choices(1), runs);
while (!stream.isOver) await stream.next();
const memory = await memoryOf(subscriber);

console.log(
  formatTable([
    { title: 'stop at rest, ms', ...summarize(atRest) },
    { title: `stop beside a log of ${logMib} MiB, ms`, ...summarize(besideLog) },
  ]),
);
console.log(`sent of the log during those stops: ${(sentMeanwhile / MIB).toFixed(0)} MiB`);
console.log(
  `memory at rest ${memoryAtRest.now} MB; at most ${memoryPieces.peak} MB with a log in pieces, ${memoryWhole.peak} MB with a whole one, ` +
    `${memoryLarge.peak} MB with a run of 1 MiB that changes ten times a second, ` +
    `${memory.peak} MB with ${runs} runs`,
);
await writeJson(values.json, {
  benchmark: 'subscriber',
  atRest,
  besideLog,
  sentMeanwhile,
  memoryAtRest,
  memoryPieces,
  memoryWhole,
  memoryLarge,
  memory,
});
await subscriber.kill('SIGTERM');

/** Asks for a log; resolves when its last piece has come. */
async function logOf(requestID: string, change: object): Promise<void> {
  const target = { podName: 'component', podNamespace: NAMESPACE, podType: 'Pod', experimentRunID: 'r' };
  const hasCome = new Promise<void>((resolve) => {
    server.onReceived = ({ field, request }) => {
      if (field !== 'podLog' || request.requestID !== requestID) return;
      const log = JSON.parse(String(request.log)) as { readonly isLast?: boolean };
      if (log.isLast !== false) resolve();
    };
  });
  server.act({ requestType: 'logs', requestID, externalData: JSON.stringify({ ...target, ...change }) });
  await hasCome;
}

/** Changes a run of 1 MiB ten times a second. */
async function changeLargeRun(changes: number): Promise<void> {
  const place = { namespace: NAMESPACE };
  const labels = runLabels('large');
  const message = 'm'.repeat(950);
  const nodes = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [
      `n-${index}`,
      { id: `n-${index}`, displayName: 'n', type: 'Pod', phase: 'Running', message },
    ]),
  );
  const metadata = { name: 'large', labels };
  await api.client.create(
    WORKFLOWS,
    { metadata, spec: {}, status: { phase: 'Running', nodes } } as never,
    place,
  );
  for (let change = 0; change < changes; change++) {
    const next = delay(100);
    const status = { message: `change ${change}` };
    await api.client.patch(WORKFLOWS, 'large', 'merge', { status }, place);
    await next;
  }
}

/** Megabytes of a process, now and at most. */
async function memoryOf({
  pid,
}: SubscriberProcess): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_000);
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [{ name: 'bench', cluster: { server } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    users: [{ name: 'bench', user: {} }],
  });
}
