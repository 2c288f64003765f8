import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ApiServer, createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES, SECRETS } from '@turnsole/kube/kinds/resources';
import { formatFieldError } from '@turnsole/kube/schema/field-error';
import type { K8sProbeInputs, Probe } from '../../api/schema/probe.ts';
import { createK8sProbe } from './k8s-probe.ts';
import { createProbeRunner } from './runner.ts';
import { k8sProbe, measureContext, PassCounter, RUN } from './testing/builders.ts';

let folder: string;
let server: ApiServer;
let client: KubeClient;
let namespaces = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnsole-k8s-probe-'));
  server = createApiServer({ dataDir: folder });
  await server.listen();
  client = createClient(server.adminConfig);
});

after(async () => {
  client.close();
  await server.close();
  await rm(folder, { recursive: true });
});

/** A namespace of its own with config maps of the given names, all labelled `app=web`. */
async function namespaceWith(...names: readonly string[]): Promise<string> {
  namespaces += 1;
  const namespace = `probe-${namespaces}`;
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  for (const name of names) {
    await client.create(CONFIG_MAPS, { metadata: { name, labels: { app: 'web' } } }, { namespace });
  }
  return namespace;
}

async function namesIn(namespace: string): Promise<string[]> {
  const { items } = await client.list<KubeObject>(CONFIG_MAPS, { namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
}

/** `passed`, or code and reason. */
async function run(inputs: Partial<K8sProbeInputs>, rest: Partial<Probe> = {}): Promise<string> {
  const probe = k8sProbe({ resource: 'configmaps', ...inputs }, rest);
  try {
    const measurement = await createK8sProbe().measure(probe, measureContext({ client }));
    return measurement.outcome === 'passed' ? 'passed' : `${measurement.code}: ${measurement.reason}`;
  } catch (error) {
    return `throws: ${error instanceof Error ? error.message : String(error)}`;
  }
}

test('present and absent, by names and by selectors', async () => {
  const namespace = await namespaceWith('one', 'two');
  const table: readonly [Partial<K8sProbeInputs>, string][] = [
    [{ operation: 'present', resourceNames: ' one , two,' }, 'passed'],
    [
      { operation: 'present', resourceNames: 'one,three' },
      `K8S_PROBE_FAILURE: configmaps in namespace ${namespace} (one, three): not found: three`,
    ],
    [{ operation: 'present', labelSelector: 'app=web' }, 'passed'],
    [{ operation: 'present', fieldSelector: 'metadata.name=two', labelSelector: 'app=web' }, 'passed'],
    [
      { operation: 'present', labelSelector: 'app in (db)' },
      `K8S_PROBE_FAILURE: configmaps in namespace ${namespace} (app in (db)): none found`,
    ],
    [{ operation: 'present', resourceNames: 'one', labelSelector: 'app=web' }, 'passed'],
    [
      { operation: 'present', resourceNames: 'one', labelSelector: 'app=db' },
      `K8S_PROBE_FAILURE: configmaps in namespace ${namespace} (one; app=db): not found: one`,
    ],
    [
      { operation: 'present', resourceNames: 'one', fieldSelector: 'metadata.name=two' },
      `K8S_PROBE_FAILURE: configmaps in namespace ${namespace} (one; metadata.name=two): not found: one`,
    ],
    [{ operation: 'absent', resourceNames: 'one', labelSelector: 'app=db' }, 'passed'],
    [{ operation: 'absent', resourceNames: 'three' }, 'passed'],
    [
      { operation: 'absent', resourceNames: 'three,two' },
      `K8S_PROBE_FAILURE: configmaps in namespace ${namespace} (three, two): still there: ${namespace}/two`,
    ],
    [{ operation: 'absent', labelSelector: 'app=db' }, 'passed'],
    [
      { operation: 'absent', labelSelector: 'app=web' },
      `K8S_PROBE_FAILURE: configmaps in namespace ${namespace} (app=web): still there: ${namespace}/one, ${namespace}/two`,
    ],
  ];
  for (const [inputs, expected] of table) {
    assert.equal(await run({ namespace, ...inputs }), expected, JSON.stringify(inputs));
  }
});

test('resources of a group, of the whole cluster, and in all namespaces', async () => {
  const namespace = await namespaceWith('only-here');
  assert.equal(await run({ resource: 'namespaces', resourceNames: namespace }), 'passed');
  assert.equal(
    await run({ resource: 'namespaces', resourceNames: namespace, namespace: 'ignored' }),
    'passed',
  );
  assert.equal(
    await run({ group: 'apps', resource: 'deployments', operation: 'absent', namespace }),
    'passed',
  );
  assert.equal(await run({ fieldSelector: 'metadata.name=only-here' }), 'passed');
  assert.match(
    await run({ resourceNames: 'only-here' }),
    /namespace is missing; configmaps are found by name in a namespace only/,
  );
});

test('resources that are not served are errors that say what is there', async () => {
  assert.match(
    await run({ resource: 'configmap' }),
    /no resource 'configmap' in v1; use the plural name .* \(there: .*configmaps/,
  );
  assert.match(await run({ group: 'example.com', resource: 'things' }), /does not serve example\.com\/v1/);
});

test('create makes the object in its namespace, once', async () => {
  const namespace = await namespaceWith();
  const data = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata: {a: "1"}\n';
  const create = { operation: 'create', namespace } as const;
  assert.equal(await run(create, { data }), 'passed');
  assert.deepEqual(await namesIn(namespace), ['made']);
  assert.match(await run(create, { data }), /^K8S_PROBE_FAILURE: cannot create configmaps .*already exists/);
  const own = `{"kind":"ConfigMap","metadata":{"name":"json","namespace":"${namespace}"}}`;
  assert.equal(await run({ operation: 'create' }, { data: own }), 'passed');
  assert.deepEqual(await namesIn(namespace), ['json', 'made']);
  assert.match(
    await run({ operation: 'create' }, { data }),
    /namespace is missing, and the manifest names none/,
  );
});

test('delete removes what it finds, and finding nothing is an error', async () => {
  const namespace = await namespaceWith('one', 'two', 'three');
  assert.equal(await run({ operation: 'delete', namespace, resourceNames: 'one' }), 'passed');
  assert.deepEqual(await namesIn(namespace), ['three', 'two']);
  assert.match(
    await run({ operation: 'delete', namespace, resourceNames: 'one, two' }),
    /^K8S_PROBE_ERROR: cannot delete configmaps .*: not found: one$/,
  );
  assert.deepEqual(await namesIn(namespace), ['three', 'two'], 'nothing is deleted when one is missing');
  assert.equal(await run({ operation: 'delete', namespace, labelSelector: 'app=web' }), 'passed');
  assert.deepEqual(await namesIn(namespace), []);
  assert.match(
    await run({ operation: 'delete', namespace, labelSelector: 'app=web' }),
    /^K8S_PROBE_ERROR: cannot delete configmaps .*: none found$/,
  );
});

test('what the API server is asked for a resource is asked once', async () => {
  const paths: string[] = [];
  const counting = new Proxy(client, {
    get(target, method: keyof KubeClient) {
      if (method !== 'raw') return target[method].bind(target);
      return (verb: string, path: string, ...rest: [unknown?, object?]) => {
        paths.push(path);
        return target.raw(verb, path, ...rest);
      };
    },
  });
  const kind = createK8sProbe();
  const namespace = await namespaceWith('one');
  for (let round = 0; round < 3; round += 1) {
    const probe = k8sProbe({ resource: 'configmaps', namespace });
    await kind.measure(probe, measureContext({ client: counting }));
  }
  assert.deepEqual(paths, ['/api/v1']);
});

test('all five modes against a real API server', async () => {
  const namespace = await namespaceWith('one');
  const modes = ['SOT', 'EOT', 'Edge', 'Continuous', 'OnChaos'] as const;
  const present = modes.map((mode) =>
    k8sProbe(
      { resource: 'configmaps', namespace, resourceNames: 'one' },
      { name: mode, mode, runProperties: { ...RUN, probePollingInterval: '1ms' } },
    ),
  );
  const made = k8sProbe(
    { resource: 'secrets', namespace, operation: 'create' },
    {
      name: 'made',
      mode: 'Continuous',
      runProperties: RUN,
      data: 'kind: Secret\nmetadata: {name: made}',
    },
  );
  const passes = new PassCounter();
  const created = Promise.withResolvers<void>();
  const runner = createProbeRunner({
    probes: [...present, made],
    client,
    clock: systemClock,
    signal: new AbortController().signal,
    env: {},
    statusCheckTimeoutSeconds: 30,
    logger: passes.logger,
    onUpdate: (statuses) => {
      if (statuses.at(-1)?.status.description !== undefined) created.resolve();
    },
    onStop: () => {},
  });
  assert.deepEqual(await runner.preChaos(), { ok: true });
  assert.deepEqual(await runner.prepareChaos(), { ok: true });
  runner.chaosBegan();
  await Promise.all([created.promise, passes.newRuns(['Continuous', 'OnChaos'])]);
  assert.deepEqual(await runner.postChaos(), { ok: true });
  assert.deepEqual(
    runner.statuses().map(({ name, status }) => `${name} ${status.verdict}`),
    ['SOT Passed', 'EOT Passed', 'Edge Passed', 'Continuous Passed', 'OnChaos Passed', 'made Passed'],
  );
  assert.equal((await client.get(SECRETS, 'made', { namespace })).metadata.name, 'made');
});

test('a choice that comes out empty chooses nothing', async () => {
  const namespace = await namespaceWith('one');
  const inputs = {
    resource: 'configmaps',
    namespace,
    operation: 'delete',
    resourceNames: '{{ x }}',
  } as const;
  const kind = createK8sProbe();
  for (const text of ['', ' ', ' , ']) {
    const context = measureContext({ client, render: (written) => (written === '' ? '' : text) });
    await assert.rejects(
      kind.measure(k8sProbe(inputs), context),
      /comes out empty and would choose every configmaps/,
    );
  }
  assert.deepEqual(await namesIn(namespace), ['one']);
});

test('a manifest that cannot be created is found before anything is asked', async () => {
  const check = async (data: string): Promise<string[]> => {
    const found = await createK8sProbe().check?.(k8sProbe({ operation: 'create' }, { data }));
    return (found ?? []).map(formatFieldError);
  };
  const problems = [
    ['a: [', /no valid YAML/],
    ['kind: Pod', /must be an object with metadata\.name/],
    ['metadata: {name: a}\n---\nmetadata: {name: b}', /must be one manifest, found 2/],
  ] as const;
  for (const [data, expected] of problems) assert.match((await check(data)).join(), expected);
  assert.deepEqual(await check('---\nmetadata: {generateName: a-}\n'), []);
});
