import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Node, Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/index';
import { type CustomResourceDefinition, customResourceDefinition } from '@turnsole/kube/schema/definition';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WIDGETS } from '@turnsole/kube/testing/widgets';
import { KeptCluster } from './kept-cluster.ts';
import { startEmbeddedCluster } from './start.ts';

const namespace = 'default';

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-kept-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function until(
  client: KubeClient,
  name: string,
  holds: (pod: Pod | undefined) => boolean,
): Promise<Pod | undefined> {
  return waitForObject<Pod>(client, PODS, name, holds, { namespace, timeoutMs: PATIENCE_MS });
}

const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';

function podOf(name: string, restartPolicy: string): Pod {
  const spec: PodSpec = {
    restartPolicy,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

test('a cluster goes on in its folder: credentials, nodes, objects; pods as after a reboot', async (t) => {
  const dataDir = folder(t);
  const first = await startEmbeddedCluster({ dataDir, nodes: 2 });
  const kubeconfig = readFileSync(first.kubeconfigPath, 'utf8');
  try {
    const client = createClient(first.adminConfig);
    for (const policy of ['Always', 'Never'])
      await client.create<Pod>(PODS, podOf(policy.toLowerCase(), policy), { namespace });
    await Promise.all(['always', 'never'].map((name) => until(client, name, isRunning)));
    client.close();
    await assert.rejects(startEmbeddedCluster({ dataDir }), new RegExp(`the process ${process.pid} uses it`));
  } finally {
    await first.close({ graceMs: 0 });
  }
  const second = await startEmbeddedCluster({ dataDir });
  try {
    // The port is the same if it is still free, which another test may have prevented.
    const anyPort = (text: string): string => text.replace(/(server: .*):\d+/, '$1');
    assert.equal(anyPort(readFileSync(second.kubeconfigPath, 'utf8')), anyPort(kubeconfig));
    const client = createClient(second.adminConfig);
    assert.equal((await client.list<Node>(NODES)).items.length, 2);
    const always = await until(
      client,
      'always',
      (pod) => isRunning(pod) && pod?.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    assert.equal(always?.status?.containerStatuses?.[0]?.lastState?.terminated?.reason, 'Unknown');
    const never = await until(client, 'never', (pod) => pod?.status?.phase === 'Failed');
    assert.equal(never?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 255);
    client.close();
  } finally {
    await second.close({ graceMs: 0 });
  }
  const third = await startEmbeddedCluster({ dataDir, nodes: 1 });
  try {
    const client = createClient(third.adminConfig);
    assert.deepEqual(
      (await client.list<Node>(NODES)).items.map(({ metadata }) => metadata.name),
      ['turnsole-1'],
    );
    client.close();
  } finally {
    await third.close({ graceMs: 0 });
  }
});

test('what a cluster left whose reaper was killed too is cleaned up before the next one begins', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  const directory = join(folder(t), 'data');
  const left = mkdtempSync(join(tmpdir(), 'turnsole-'));
  mkdirSync(join(left, 'pods'));
  writeFileSync(join(left, 'pods', 'file'), '');
  const env = { PATH: process.env.PATH, TURNSOLE_POD_ROOT: `${left}/pods/uid/containers/main/root` };
  const stray = spawn('sleep', ['1000'], { env, stdio: 'ignore' });
  await once(stray, 'spawn');
  const exit = once(stray, 'exit');
  const dead = new KeptCluster(directory);
  await dead.begin(left);
  await dead.journal.close();
  const next = new KeptCluster(directory);
  await next.begin('/somewhere');
  assert.deepEqual(await exit, [null, 'SIGKILL']);
  assert.equal(existsSync(left), false);
  await next.close();
  assert.equal(next.journal.previousRunDir, undefined);
});

test('definitions of an earlier release are brought up to date; the schema of one that somebody has applied stays', async (t) => {
  const dataDir = folder(t);
  const gadgets = { ...WIDGETS, plural: 'gadgets', kind: 'Gadget' };
  const definitions = (field: string, annotations = {}): CustomResourceDefinition[] =>
    [WIDGETS, gadgets].map((resource) => {
      const schema = { type: 'object', properties: { [field]: { type: 'string' } } };
      const made = customResourceDefinition(resource, schema, []);
      return { ...made, metadata: { ...made.metadata, annotations } };
    });
  const started = async (
    work: (client: KubeClient) => Promise<void>,
    ...given: Parameters<typeof definitions>
  ) => {
    const options = { dataDir, runtime: 'simulated', definitions: definitions(...given) } as const;
    const cluster = await startEmbeddedCluster(options);
    const client = createClient(cluster.adminConfig);
    try {
      await work(client);
    } finally {
      client.close();
      await cluster.close({ graceMs: 0 });
    }
  };
  const nameOf = ({ plural, group }: typeof WIDGETS): string => `${plural}.${group}`;
  await started(async (client) => {
    const { apiVersion, kind } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, nameOf(gadgets));
    const patch = { apiVersion, kind, metadata: { labels: { own: 'yes' } } };
    await client.patch(CUSTOM_RESOURCE_DEFINITIONS, nameOf(gadgets), 'apply', patch);
  }, 'before');
  await started(
    async (client) => {
      for (const [resource, field] of [
        [WIDGETS, 'after'],
        [gadgets, 'before'],
      ] as const) {
        const { metadata, spec } = await client.get<CustomResourceDefinition & KubeObject>(
          CUSTOM_RESOURCE_DEFINITIONS,
          nameOf(resource),
        );
        assert.equal(metadata.annotations?.['release'], 'new', resource.plural);
        const { properties = {} } = spec.versions[0]?.schema.openAPIV3Schema ?? {};
        assert.deepEqual(Object.keys(properties), [field], resource.plural);
      }
    },
    'after',
    { release: 'new' },
  );
  const versionsOf = async (client: KubeClient): Promise<unknown[]> => {
    const { items } = await client.list<KubeObject>(CUSTOM_RESOURCE_DEFINITIONS);
    return items.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]);
  };
  let before: unknown[] = [];
  const same = ['after', { release: 'new' }] as const;
  await started(
    async (client) => {
      before = await versionsOf(client);
    },
    ...same,
  );
  // Those that are up to date are left alone.
  await started(async (client) => assert.deepEqual(await versionsOf(client), before), ...same);
});
