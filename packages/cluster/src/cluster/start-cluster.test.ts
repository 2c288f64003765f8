import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ApplyError } from '@turnsole/kube/apply/apply-objects';
import { ManifestError } from '@turnsole/kube/apply/parse-manifest';
import type { ConfigMap, Deployment, Node, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError } from '@turnsole/kube/runtime/wait';
import { WIDGETS } from '@turnsole/kube/testing/widgets';
import { stateOf } from './access.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const PACKAGE = new URL('../../', import.meta.url);
let cluster: Cluster;

before(async () => {
  cluster = await startCluster({ nodes: 2, simulated: true });
});
after(() => cluster.close());

test('the README shows the examples as they are', () => {
  const readme = readFileSync(new URL('README.md', PACKAGE), 'utf8');
  const examples = globSync(fileURLToPath(new URL('examples/*.ts', PACKAGE)));
  assert.ok(examples.length > 1);
  for (const example of examples) {
    assert.ok(readme.includes(`\`\`\`ts\n${readFileSync(example, 'utf8')}\`\`\``), example);
  }
});

test('the first example: a program that starts a cluster, uses it, and ends', async () => {
  const program = fileURLToPath(new URL('examples/first.ts', PACKAGE));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const [, kubeconfig = ''] =
    /^2 pods; ask for more: kubectl --kubeconfig (\S+) get pods\n$/.exec(stdout) ?? [];
  assert.notEqual(kubeconfig, '', stdout);
  assert.equal(existsSync(kubeconfig), false, 'nothing is left of it');
});

const manifest = (kind: string, name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});

test('manifests are applied in their order, as text and as objects; a kind can be used right after its definition', async () => {
  const { group, version, plural, kind } = WIDGETS;
  const stored = await cluster.apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: ${plural}, singular: widget, kind: ${kind} }
  versions:
    - name: ${version}
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: ${group}/${version}
kind: ${kind}
metadata: { name: first }
`);
  assert.deepEqual(
    stored.map(({ metadata }) => [metadata.namespace, metadata.name]),
    [
      [undefined, `${plural}.${group}`],
      ['default', 'first'],
    ],
  );
  await cluster.apply([manifest('Namespace', 'shop')]);
  await cluster.apply(manifest('ConfigMap', 'settings', { data: { a: '1' } }), { namespace: 'shop' });
  await cluster.apply(manifest('ConfigMap', 'settings', { data: { b: '2' } }), { namespace: 'shop' });
  const map = await cluster.client.get<ConfigMap>(CONFIG_MAPS, 'settings', { namespace: 'shop' });
  assert.deepEqual(map.data, { b: '2' });
});

test('what cannot be applied is named, with the reason', async () => {
  await assert.rejects(cluster.apply('kind: Pod'), (error) => {
    assert.ok(error instanceof ManifestError);
    assert.equal(error.message, 'the manifest has no apiVersion');
    return true;
  });
  const cases: readonly (readonly [Parameters<Cluster['apply']>[0], RegExp])[] = [
    [manifest('Nothing', 'a'), /^cannot apply Nothing a: unknown kind Nothing in v1; known are /],
    [
      { ...manifest('Pod', 'a'), metadata: { name: 'a', namespace: 'gone' } },
      /^cannot apply Pod gone\/a: .*namespaces "gone" not found/,
    ],
  ];
  for (const [given, message] of cases) {
    await assert.rejects(cluster.apply(given), (error) => {
      assert.ok(error instanceof ApplyError);
      assert.match(error.message, message);
      return true;
    });
  }
});

test('a wait ends with the object when its condition is true', async () => {
  const labels = { app: 'web' };
  await cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'shop' }] } },
    },
  });
  const web = await cluster.waitFor<Deployment>(DEPLOYMENTS, 'web', 'Available');
  assert.equal(web.metadata.name, 'web');
  const node = await cluster.waitFor<Node>(NODES, 'turnsole-2', 'Ready');
  assert.equal(node.metadata.name, 'turnsole-2');
  const gone = await cluster.waitFor<Pod>(PODS, 'never', (pod) => pod === undefined);
  assert.equal(gone, undefined);
});

test('a wait that is too long says what it saw last, and what the namespace warns of', async () => {
  await cluster.apply({
    ...manifest('Pod', 'slow', { spec: { containers: [{ name: 'c', image: 'shop' }] } }),
    metadata: { name: 'slow', annotations: { 'simulated.turnsole.io/ready-after': 'soon' } },
  });
  await cluster.waitFor<Pod>(PODS, 'slow', (pod) => pod?.status?.phase === 'Running');
  await assert.rejects(cluster.waitFor(PODS, 'slow', 'Initialised', { timeoutMs: 50 }), (error) => {
    assert.ok(error instanceof WaitTimeoutError);
    const start =
      'waited 50 ms for Initialised of Pod default/slow, last seen: phase Running, it has no condition Initialised';
    assert.ok(error.message.startsWith(start), error.message);
    return true;
  });
  await assert.rejects(
    cluster.waitFor(PODS, 'none', 'Ready', { timeoutMs: 50 }),
    /last seen: it is not there/,
  );
});

test('the state of an object in words: its phase, and the condition that is waited for with its reason', () => {
  const ready = { type: 'Ready', status: 'False', reason: 'Waiting', message: 'for c' } as const;
  const pod = { metadata: { name: 'a' }, status: { phase: 'Pending', conditions: [ready] } };
  assert.equal(stateOf(pod, 'Ready'), 'phase Pending, Ready is False (Waiting: for c)');
  assert.equal(
    stateOf(pod, () => false),
    'phase Pending, Ready is False (Waiting: for c)',
  );
  assert.equal(
    stateOf({ metadata: { name: 'a' } }, () => false),
    'it has no status',
  );
  assert.equal(stateOf(undefined, 'Ready'), 'it is not there');
});

test('an image is words of a command line, or all that an image says; a name that is none is refused', async () => {
  await using other = await startCluster({
    isolation: 'none',
    images: { 'shop/api:2': ['node', '-e', '0'], 'shop/job': { entrypoint: ['true'] } },
  });
  assert.deepEqual(['shop/api:2', 'shop/api:3', 'shop/job', 'busybox', 'nginx'].map(other.knowsImage), [
    ...[true, false, true, true, false],
  ]);
  assert.match(other.notIsolated ?? '', /^it was not asked for/);
  await assert.rejects(startCluster({ images: { 'No Name': ['true'] } }), /cannot add image "No Name"/);
});
