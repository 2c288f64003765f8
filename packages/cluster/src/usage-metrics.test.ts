/** What pods use, measured on real pods and served as metrics.k8s.io. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isForbidden, isNotFound } from '@turnsole/kube/client/errors';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { PODS, ROLE_BINDINGS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import { startEmbeddedCluster } from './cluster/start.ts';
import type { EmbeddedCluster, EmbeddedClusterOptions } from './cluster/types.ts';
import { probeIsolation } from './node/runtime/isolated/probe.ts';

const place = mkdtempSync(join(tmpdir(), 'turnsole-usage-'));
const probe = await probeIsolation(place, 'probe');
if (probe.available) rmSync(probe.layers, { recursive: true, force: true });
rmSync(place, { recursive: true, force: true });
const noIsolation = probe.available ? false : `pods cannot be isolated here: ${probe.missing}`;
const isLinux = process.platform === 'linux';

const METRICS = '/apis/metrics.k8s.io/v1beta1';

interface Metrics {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
  readonly window: string;
  readonly usage?: Usage;
  readonly containers?: readonly { readonly name: string; readonly usage: Usage }[];
}
interface Usage {
  readonly cpu: string;
  readonly memory: string;
}

async function start(
  t: TestContext,
  options: EmbeddedClusterOptions,
): Promise<{ client: KubeClient; cluster: EmbeddedCluster }> {
  const cluster = await startEmbeddedCluster({ metricsIntervalMs: 1_000, ...options });
  const client = createClient(cluster.adminConfig);
  t.after(async () => {
    client.close();
    await cluster.close({ graceMs: 0 });
  });
  return { client, cluster };
}

const BURN = 'while :; do :; done';

async function runs(client: KubeClient, name: string, scripts: Record<string, string>): Promise<void> {
  const containers = Object.entries(scripts).map(([container, script]) => ({
    name: container,
    image: 'busybox',
    command: ['/bin/sh', '-c', script],
  }));
  const pod: Pod = {
    metadata: { name, labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 0, containers },
  };
  await client.create<Pod>(PODS, pod, { namespace: 'default' });
  await waitForObject<Pod>(client, PODS, name, (seen) => seen?.status?.phase === 'Running', {
    namespace: 'default',
    timeoutMs: PATIENCE_MS,
  });
}

async function get<T>(client: KubeClient, path: string): Promise<T> {
  return client.raw<T>('GET', `${METRICS}/${path}`, undefined, {});
}

/** Asks until there are figures of the pod: it may have been started just after the last sample. */
async function figures(client: KubeClient, name: string): Promise<Metrics> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    try {
      return await get<Metrics>(client, `namespaces/default/pods/${name}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await delay(100, undefined, { signal });
    }
  }
}

const cores = ({ cpu }: Usage): number => quantityToNumber(parseQuantity(cpu));
const bytes = ({ memory }: Usage): number => quantityToNumber(parseQuantity(memory));

for (const [isolation, skip] of [
  ['none', !isLinux],
  ['full', noIsolation],
] as const) {
  test(`containers are measured, isolation ${isolation}`, { skip }, async (t) => {
    const { client } = await start(t, { isolation });
    await runs(client, 'busy', { hog: BURN, idle: 'sleep 1000' });
    const pod = await figures(client, 'busy');
    const [hog, idle] = ['hog', 'idle'].map(
      (name) => pod.containers?.find((one) => one.name === name)?.usage,
    );
    assert.ok(hog !== undefined && idle !== undefined, JSON.stringify(pod));
    // However loaded the machine is, it gets some of it, and never more than a core.
    assert.ok(cores(hog) > 0 && cores(hog) < 1.3, hog.cpu);
    assert.ok(cores(idle) < cores(hog), idle.cpu);
    assert.ok(bytes(hog) > 10_000 && bytes(hog) < 2 ** 27, hog.memory);
    assert.match(pod.window, /^\d+(\.\d+)?s$/);
    assert.ok(Math.abs(Date.parse(pod.timestamp) - Date.now()) < PATIENCE_MS);
    const { items: nodes } = await get<{ items: Metrics[] }>(client, 'nodes');
    assert.equal(nodes.length, 1);
    assert.ok(cores(nodes[0]?.usage ?? { cpu: '0', memory: '0' }) > 0, JSON.stringify(nodes));
  });
}

test('figures of simulated pods are those of their annotations, as they are now', async (t) => {
  const { client } = await start(t, { runtime: 'simulated', nodes: 2 });
  const annotations = (cpu: string): Record<string, string> => ({
    'simulated.turnsole.io/cpu': cpu,
    'simulated.turnsole.io/memory.side': '64Mi',
  });
  const containers = ['main', 'side'].map((name) => ({ name, image: 'app' }));
  for (const name of ['one', 'two']) {
    const metadata = { name, labels: { app: name }, annotations: annotations('250m') };
    await client.create<Pod>(PODS, { metadata, spec: { containers } }, { namespace: 'default' });
    await waitForObject<Pod>(client, PODS, name, (seen) => seen?.status?.phase === 'Running', {
      namespace: 'default',
      timeoutMs: PATIENCE_MS,
    });
  }
  const one = await get<Metrics>(client, 'namespaces/default/pods/one');
  assert.deepEqual(one.containers, [
    { name: 'main', usage: { cpu: '250m', memory: '0' } },
    { name: 'side', usage: { cpu: '250m', memory: '64Mi' } },
  ]);
  await client.patch(
    PODS,
    'one',
    'merge',
    { metadata: { annotations: annotations('2') } },
    {
      namespace: 'default',
    },
  );
  const { items } = await get<{ items: Metrics[] }>(client, 'pods?labelSelector=app%3Done');
  assert.deepEqual(
    items.map(({ metadata, containers: [main] = [] }) => [metadata.name, main?.usage.cpu]),
    [['one', '2']],
  );
  const { items: nodes } = await get<{ items: Metrics[] }>(client, 'nodes');
  assert.deepEqual(
    nodes.reduce((sum, { usage }) => sum + cores(usage ?? { cpu: '0', memory: '0' }), 0),
    4.5,
  );
});

test('the group is discovered, registered and guarded, and what has no figures is not found', async (t) => {
  const { client, cluster } = await start(t, { runtime: 'simulated' });
  const service = await client.raw<{ status: { conditions: { type: string; status: string }[] } }>(
    'GET',
    '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io',
    undefined,
    {},
  );
  assert.deepEqual(
    service.status.conditions.map(({ type, status }) => `${type}=${status}`),
    ['Available=True'],
  );
  const { resources } = await client.raw<{ resources: { name: string; kind: string; verbs: string[] }[] }>(
    'GET',
    METRICS,
    undefined,
    {},
  );
  assert.deepEqual(
    resources.map(({ name, kind, verbs }) => [name, kind, verbs.join()]),
    [
      ['nodes', 'NodeMetrics', 'get,list'],
      ['pods', 'PodMetrics', 'get,list'],
    ],
  );
  await assert.rejects(
    get(client, 'namespaces/default/pods/none'),
    (error: unknown) =>
      isNotFound(error) && /podmetrics.metrics.k8s.io "default\/none" not found/.test(String(error)),
  );
  await assert.rejects(client.raw('POST', `${METRICS}/namespaces/default/pods`, {}, {}), /not allowed|405/);
  // A service account may read it once it may view the namespace.
  const { status } = await client.raw<{ status: { token: string } }>(
    'POST',
    '/api/v1/namespaces/default/serviceaccounts/default/token',
    { spec: {} },
    {},
  );
  const account = createClient({ ...cluster.adminConfig, token: () => status.token });
  t.after(() => account.close());
  await assert.rejects(get(account, 'namespaces/default/pods'), isForbidden);
  await client.create(
    ROLE_BINDINGS,
    {
      metadata: { name: 'viewer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    } as KubeObject,
    { namespace: 'default' },
  );
  assert.deepEqual(await get(account, 'namespaces/default/pods'), {
    kind: 'PodMetricsList',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { resourceVersion: '' },
    items: [],
  });
});
