import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { ConnectionError, createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type {
  CoreEvent,
  Deployment,
  KubeObject,
  Node,
  Pod,
  PodSpec,
  Service,
  ServiceAccount,
  StatefulSet,
} from '@turnsole/kube/kinds/core';
import {
  DEPLOYMENTS,
  EVENTS,
  NODES,
  PODS,
  type Resource,
  SERVICE_ACCOUNTS,
  SERVICES,
  STATEFUL_SETS,
} from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import { customResourceDefinition } from '@turnsole/kube/schema/definition';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { WIDGETS } from '@turnsole/kube/testing/widgets';
import { startEmbeddedCluster } from './start.ts';
import type { EmbeddedCluster } from './types.ts';

const linux = process.platform === 'linux';
const namespace = 'default';
/** What holds without root; node/runtime/isolated has tests of its own. */
const isolation = 'none';
let cluster: EmbeddedCluster;
let client: KubeClient;

before(async () => {
  cluster = await startEmbeddedCluster({
    isolation,
    nodes: 2,
    definitions: [customResourceDefinition(WIDGETS, { type: 'object' }, [])],
  });
  client = createClient(cluster.adminConfig);
});
after(async () => {
  client.close();
  await cluster.close();
});

function untilObject<T extends KubeObject>(
  kube: KubeClient,
  resource: Resource,
  name: string,
  holds: (object: T | undefined) => boolean,
): Promise<T | undefined> {
  return waitForObject<T>(kube, resource, name, holds, { namespace, timeoutMs: PATIENCE_MS });
}

test('when it has started, it can be used', async () => {
  const nodes = await client.list<Node>(NODES);
  assert.deepEqual(
    nodes.items.map(({ metadata }) => metadata.name),
    ['turnsole-1', 'turnsole-2'],
  );
  for (const { status, metadata } of nodes.items) {
    assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    assert.equal(metadata.labels?.['kubernetes.io/hostname'], metadata.name);
  }
  assert.ok(await client.find<ServiceAccount>(SERVICE_ACCOUNTS, 'default', { namespace }));
  assert.deepEqual((await client.list(WIDGETS)).items, []);
  assert.equal(
    (await client.get<Service>(SERVICES, 'kubernetes', { namespace })).spec?.ports?.[0]?.port,
    443,
  );
  assert.equal(statSync(cluster.kubeconfigPath).mode & 0o777, 0o600);
  assert.ok(cluster.capabilities.length > 0);
  for (const { note } of cluster.capabilities) assert.notEqual(note, '');
});

/** A server that names its pod and asks another service, on a port that every pod has. */
const SERVER = `
  require('node:http').createServer(async (request, response) => {
    if (request.url === '/') return response.end(process.env.HOSTNAME);
    const url = 'http://' + request.url.slice(1) + '/';
    response.end(await fetch(url).then((answer) => answer.text(), (error) => error.cause.code));
  }).listen(8080)`;

function serverPods(app: string): { metadata: { labels: Record<string, string> }; spec: PodSpec } {
  return {
    metadata: { labels: { app } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'server',
          image: 'node',
          args: ['-e', SERVER],
          readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
        },
      ],
    },
  };
}

function service(name: string, spec: Service['spec'] = {}): Promise<Service> {
  const ports = [{ port: 80, targetPort: 8080 }];
  const object = { metadata: { name }, spec: { selector: { app: name }, ports, ...spec } };
  return client.create<Service>(SERVICES, object, { namespace });
}

test('pods with the same port side by side, reached by service name, replaced when killed', {
  skip: !linux,
}, async () => {
  await service('web');
  await service('db', { clusterIP: 'None' });
  await client.create<Deployment>(
    DEPLOYMENTS,
    {
      metadata: { name: 'web' },
      spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: serverPods('web') },
    },
    { namespace },
  );
  await client.create<StatefulSet>(
    STATEFUL_SETS,
    {
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        replicas: 1,
        selector: { matchLabels: { app: 'db' } },
        template: serverPods('db'),
      },
    },
    { namespace },
  );
  await untilObject<Deployment>(
    client,
    DEPLOYMENTS,
    'web',
    (found) => found?.status?.availableReplicas === 3,
  );
  await untilObject<StatefulSet>(client, STATEFUL_SETS, 'db', (found) => found?.status?.readyReplicas === 1);
  const pods = (await client.list<Pod>(PODS, { namespace, labelSelector: 'app=web' })).items;
  assert.equal(new Set(pods.map(({ status }) => status?.podIP)).size, 3);

  const [entry] = pods;
  const ask = (path: string): Promise<string> =>
    fetch(`http://${entry?.status?.podIP}:8080/${path}`).then((answer) => answer.text());
  const names = new Set(pods.map(({ metadata }) => metadata.name));
  const answers = new Set(await Promise.all(Array.from({ length: 12 }, () => ask('web'))));
  assert.deepEqual(answers, names, 'port 80 of the service, with root or without, leads to every pod');
  assert.ok(names.has(await ask('web.default.svc.cluster.local')));
  assert.equal(await ask('db-0.db:8080'), 'db-0');
  assert.equal(await ask('none.default.svc'), 'ENOTFOUND');

  // A port that another program has: the service is served on another, and says so.
  const busy = await service('busy', { selector: {}, ports: [{ port: 8081, targetPort: 8080 }] });
  const taken = createServer().listen(8081, busy.spec?.clusterIP ?? '');
  await once(taken, 'listening');
  const selector = { spec: { selector: { app: 'web' } } };
  await client.patch<Service>(SERVICES, 'busy', 'merge', selector, { namespace });
  const isReported = (events: readonly CoreEvent[]): boolean =>
    events.some(({ reason }) => reason === 'PortNotAvailable');
  const [event] = await waitForList<CoreEvent>(client, EVENTS, isReported, {
    namespace,
    fieldSelector: 'involvedObject.name=busy',
    timeoutMs: PATIENCE_MS,
  });
  assert.match(
    event?.message ?? '',
    /another program on this machine listens on it; served on port \d+ instead/,
  );
  assert.ok(names.has(await ask('busy:8081')));
  taken.close();

  const victim = pods[1]?.metadata;
  await client.delete<Pod>(PODS, victim?.name ?? '', { namespace, gracePeriodSeconds: 0 });
  const replaced = (items: readonly Pod[]): boolean =>
    items.length === 3 &&
    items.every(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return metadata.uid !== victim?.uid && ready?.status === 'True';
    });
  const options = { namespace, labelSelector: 'app=web', timeoutMs: PATIENCE_MS };
  await waitForList<Pod>(client, PODS, replaced, options);
});

/** Processes that belong to the cluster of this folder. */
function processesOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return (
          pid > 0 && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TURNSOLE_POD_ROOT=${dataDir}/`)
        );
      } catch {
        return false;
      }
    });
}

/** Resolves when all processes of the sleeper run: Linux shows no environment of one that is just becoming another program. */
async function sleeperOf(dataDir: string): Promise<void> {
  await until(
    () => processesOf(dataDir).length >= 3,
    () => `only ${processesOf(dataDir)}`,
  );
}

async function startSleeper(kube: KubeClient): Promise<void> {
  const script = 'setsid sleep 1000 & sleep 1000 & echo up; sleep 1000';
  const containers = [{ name: 'c', image: 'busybox', command: ['/bin/sh', '-c', script] }];
  await kube.create<Pod>(PODS, { metadata: { name: 'sleeper' }, spec: { containers } }, { namespace });
  await untilObject<Pod>(kube, PODS, 'sleeper', (pod) => pod?.status?.phase === 'Running');
  for await (const line of kube.logLines('sleeper', { namespace, follow: true })) if (line === 'up') break;
}

test('two clusters do not meet, and closing leaves no process, folder or listener', async () => {
  const other = await startEmbeddedCluster({ isolation });
  const kube = createClient(other.adminConfig);
  await startSleeper(kube);
  assert.notEqual(other.server, cluster.server);
  assert.equal(await client.find<Pod>(PODS, 'sleeper', { namespace }), undefined);
  if (linux) await sleeperOf(other.dataDir);
  await Promise.all([other.close({ graceMs: 100 }), other.close()]);
  if (linux) assert.deepEqual(processesOf(other.dataDir), []);
  assert.equal(existsSync(other.dataDir), false);
  // Another test may have the port by now, and does not answer to this cluster's credentials.
  await assert.rejects(kube.raw('GET', '/version', undefined, { timeoutMs: 500 }), ConnectionError);
  kube.close();
});

const OWNER = `
  import { startEmbeddedCluster } from ${JSON.stringify(new URL('./start.ts', import.meta.url).href)};
  const cluster = await startEmbeddedCluster({ isolation: 'none' });
  console.log(JSON.stringify({ dataDir: cluster.dataDir, adminConfig: { ...cluster.adminConfig, token: await cluster.adminConfig.token() } }));
`;

test('SIGKILL of the process that has the cluster leaves nothing', { skip: !linux }, async () => {
  const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: owner.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  const { dataDir, adminConfig } = JSON.parse(String(first.value));
  const kube = createClient({ ...adminConfig, token: () => adminConfig.token });
  await startSleeper(kube);
  kube.close();
  await sleeperOf(dataDir);
  const exit = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exit;
  await until(
    () => !existsSync(dataDir) && processesOf(dataDir).length === 0,
    () => `left: ${existsSync(dataDir) ? dataDir : ''} ${processesOf(dataDir)}`,
  );
});

test('a folder of one’s own stays, without the pods', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-own-'));
  try {
    const own = await startEmbeddedCluster({ isolation, dataDir });
    await own.close();
    assert.ok(existsSync(join(dataDir, 'ca.crt')));
    assert.equal(existsSync(join(dataDir, 'pods')), false);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('a start fails for a taken port, an invalid image name and an abort, and leaves nothing behind', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'turnsole-failing-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await assert.rejects(startEmbeddedCluster({ port }), /EADDRINUSE|in use/);
  server.close();
  const images = new Map([['No Name', { entrypoint: ['x'] }]]);
  await assert.rejects(startEmbeddedCluster({ images }), /cannot add image "No Name"/);
  const reason = new Error('enough');
  await assert.rejects(startEmbeddedCluster({ signal: AbortSignal.abort(reason) }), reason);
  const abort = new AbortController();
  const starting = startEmbeddedCluster({ signal: abort.signal });
  setImmediate(() => abort.abort(reason));
  await assert.rejects(starting);
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  // Users without a home keep compiled code there.
  assert.deepEqual(
    readdirSync(temporary).filter((name) => !name.startsWith('turnsole-cache-')),
    [],
  );
  rmSync(temporary, { recursive: true });
});
