/** Chaos as code on clusters that were started without it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Cluster, startCluster } from '@turnsole/cluster';
import { useCluster } from '@turnsole/cluster/testing';
import { CONFIG_MAPS, LEASES, NODES } from '@turnsole/kube';
import type { Lease } from '@turnsole/kube/kinds/core';
import { CHAOS_ENGINES, CHAOS_RESULTS, OPERATOR_LEASE } from '../../src/api/index.ts';
import { ChaosError, planChaos, podDelete, runChaos, withChaos } from '../../src/runs/as-code/index.ts';

const DELETION = podDelete({ target: 'deployment/web', duration: '4s', interval: '2s', podsAffected: '34%' });

/** The application that is hit, as an image of the user's own. */
const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: main, image: shop/web }] }
`;

let cluster: Cluster;
before(async () => {
  const images = { 'shop/web': [process.execPath, '-e', 'setInterval(() => {}, 1000)'] };
  cluster = await startCluster(await withChaos({ nodes: 2, images }));
});
after(() => cluster.close({ graceMs: 0 }));

test('a cluster without the kinds of chaos is refused with what to do', async () => {
  await using bare = await useCluster({ simulated: true });
  for (const ask of [runChaos, planChaos]) {
    await assert.rejects(ask(bare, DELETION), (error: unknown) => {
      assert.ok(error instanceof ChaosError);
      assert.equal(error.code, 'CHAOS_NOT_INSTALLED');
      assert.match(error.message, /startCluster\(await withChaos\(/);
      return true;
    });
  }
});

test('a cluster of @turnsole/cluster with what chaos needs: a run brings the operator, and leaves nothing', async (t) => {
  const result = await runChaos(cluster, DELETION, { manifests: WEB, signal: t.signal });
  assert.equal(result.verdict, 'Pass', result.reason);
  assert.ok(result.injections.length >= 1);
  for (const kind of [CHAOS_ENGINES, CHAOS_RESULTS])
    assert.deepEqual((await cluster.client.list(kind)).items, []);
  const lease = await cluster.client.get<Lease>(LEASES, OPERATOR_LEASE, { namespace: 'default' });
  assert.equal(lease.spec?.holderIdentity ?? '', '', 'another run need not wait for the lease');
});

test('two runs at a time on one cluster have one operator after the other', async (t) => {
  const runs = ['left', 'right'].map(async (namespace) => {
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    return runChaos({ kubeconfig: cluster.kubeconfig }, DELETION, {
      namespace,
      manifests: WEB,
      signal: t.signal,
    });
  });
  const results = await Promise.all(runs);
  assert.deepEqual(
    results.map(({ verdict, reason }) => [verdict, reason]),
    results.map(() => ['Pass', undefined]),
  );
});

test('what the user gives of a cluster is kept beside what chaos needs', async () => {
  let judged = 0;
  const options = await withChaos({
    nodes: 1,
    simulated: true,
    annotateNodes: () => ({ 'example.com/rack': 'a' }),
    judges: [
      {
        resource: CONFIG_MAPS,
        judge: () => {
          judged += 1;
          return [];
        },
      },
    ],
  });
  await using given = await startCluster(options);
  const { items } = await given.client.list(NODES);
  assert.equal(items[0]?.metadata.annotations?.['example.com/rack'], 'a');
  await given.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } });
  assert.ok(judged > 0);
  const result = await runChaos(given, DELETION, { manifests: WEB });
  assert.equal(result.verdict, 'Pass', result.reason);
});

test('a plan writes nothing to a cluster that was given, and no operator is there for it', async () => {
  await cluster.apply(WEB);
  const before = await cluster.client.find<Lease>(LEASES, OPERATOR_LEASE, { namespace: 'default' });
  const plan = await planChaos(cluster, DELETION);
  assert.equal(plan.wouldRun, true, JSON.stringify(plan.problems));
  const after = await cluster.client.find<Lease>(LEASES, OPERATOR_LEASE, { namespace: 'default' });
  assert.equal(after?.metadata.resourceVersion, before?.metadata.resourceVersion);
});

test('options that are none are refused', async () => {
  for (const wrong of [5, null, ['nodes']])
    await assert.rejects(
      withChaos(wrong as unknown as object),
      /withChaos\.options: expected options of startCluster/,
    );
});
