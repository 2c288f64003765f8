import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { NODES, PERSISTENT_VOLUME_CLAIMS, PODS } from '@turnsole/kube/kinds/resources';
import type { PersistentVolumeClaim } from '../controllers/shared/types.ts';
import { node } from '../controllers/testing/builders.ts';
import { startTestCluster, type TestCluster } from '../controllers/testing/cluster.ts';
import { startScheduler } from './start.ts';

async function start(t: TestContext): Promise<TestCluster> {
  const cluster = await startTestCluster(t);
  const scheduler = await startScheduler({ client: cluster.client });
  t.after(() => scheduler.stop());
  return cluster;
}

async function addNode(cluster: TestCluster, wanted: Node): Promise<void> {
  const { uid: _, ...metadata } = wanted.metadata;
  await cluster.create<Node>(NODES, { ...wanted, metadata });
  const { status } = wanted;
  await cluster.client.patch(NODES, metadata.name, 'merge', { status }, { subresource: 'status' });
}

function pod(name: string, cpu: string): Pod {
  return {
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'sample', resources: { requests: { cpu } } }] },
  };
}

const isBound = ({ spec }: Pod) => spec?.nodeName !== undefined;

test('pods are bound to nodes with room, and each of many to a place', async (t) => {
  const cluster = await start(t);
  for (const name of ['n1', 'n2']) await addNode(cluster, node(name, { allocatable: { cpu: '2' } }));
  for (const name of ['a', 'b', 'c', 'd']) await cluster.create(PODS, pod(name, '1'));
  const bound = await cluster.list<Pod>(PODS, (pods) => pods.length === 4 && pods.every(isBound));
  const nodes = bound.map(({ spec }) => spec?.nodeName).sort();
  assert.deepEqual(nodes, ['n1', 'n1', 'n2', 'n2']);
  assert.equal(findCondition(bound[0]?.status?.conditions, 'PodScheduled')?.status, 'True');
  const [event] = await cluster.events('Scheduled');
  assert.match(event?.message ?? '', /^Successfully assigned default\/\w to n[12]$/);
  assert.equal(event?.source?.component, 'default-scheduler');
});

test('a pod that fits nowhere says why, and is bound when it fits', async (t) => {
  const cluster = await start(t);
  await cluster.create(PODS, pod('a', '1'));
  await cluster.object<Pod>(PODS, 'a', ({ status }) => {
    const condition = findCondition(status?.conditions, 'PodScheduled');
    return (
      condition?.reason === 'Unschedulable' && condition.message === 'no nodes available to schedule pods'
    );
  });
  await addNode(cluster, node('n1', { unschedulable: true }));
  await cluster.object<Pod>(PODS, 'a', ({ status }) => {
    const { message = '' } = findCondition(status?.conditions, 'PodScheduled') ?? {};
    return message.startsWith('0/1 nodes are available: 1 ');
  });
  assert.ok((await cluster.events('FailedScheduling')).length > 0);
  await cluster.client.patch(NODES, 'n1', 'merge', { spec: { unschedulable: null, taints: null } });
  await cluster.object<Pod>(PODS, 'a', isBound);
});

test('a pod that goes makes room for one that waits', async (t) => {
  const cluster = await start(t);
  await addNode(cluster, node('n1', { allocatable: { cpu: '1' } }));
  const first = await cluster.create(PODS, pod('a', '1'));
  await cluster.object<Pod>(PODS, 'a', isBound);
  await cluster.create(PODS, pod('b', '1'));
  await cluster.object<Pod>(PODS, 'b', ({ status }) => status?.conditions?.[0]?.reason === 'Unschedulable');
  await cluster.bury(first);
  await cluster.object<Pod>(PODS, 'b', isBound);
});

test('a pod waits for the claim it uses', async (t) => {
  const cluster = await start(t);
  await addNode(cluster, node('n1'));
  const wanted = pod('a', '1');
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  await cluster.create<Pod>(PODS, { ...wanted, spec: { containers: [], ...wanted.spec, volumes } });
  const waiting = await cluster.object<Pod>(
    PODS,
    'a',
    ({ status }) => findCondition(status?.conditions, 'PodScheduled')?.reason === 'Unschedulable',
  );
  assert.equal(
    findCondition(waiting.status?.conditions, 'PodScheduled')?.message,
    '0/1 nodes are available: persistentvolumeclaim "data" not found. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  );
  await cluster.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await cluster.object<Pod>(PODS, 'a', isBound);
});

test('a gated pod waits until its gates are removed; none may be added, and directives may be meanwhile', async (t) => {
  const cluster = await start(t);
  await addNode(cluster, node('n1', { allocatable: { cpu: '2' } }));
  const plain = pod('a', '1');
  const spec = {
    ...plain.spec,
    containers: plain.spec?.containers ?? [],
    schedulingGates: [{ name: 'example.com/a' }],
  };
  const gated = await cluster.create<Pod>(PODS, { ...plain, spec });
  const condition = findCondition(gated.status?.conditions, 'PodScheduled');
  assert.equal(condition?.reason, 'SchedulingGated');
  const place = { namespace: 'default' };
  const change = (patch: object): Promise<Pod> =>
    cluster.client.patch<Pod>(PODS, 'a', 'merge', { spec: patch }, place);
  await assert.rejects(
    change({ schedulingGates: [...spec.schedulingGates, { name: 'example.com/b' }] }),
    /spec\.schedulingGates\[1\]\.name: Forbidden: only deletion is allowed, but found new scheduling gate 'example\.com\/b'/,
  );
  await assert.rejects(
    cluster.client.raw('POST', '/api/v1/namespaces/default/pods/a/binding', {
      metadata: { name: 'a' },
      target: { kind: 'Node', name: 'n1' },
    }),
    /pod a has non-empty \.spec\.schedulingGates/,
  );
  await change({ nodeSelector: { 'kubernetes.io/hostname': 'n1' } });
  await assert.rejects(
    change({ nodeSelector: { 'kubernetes.io/hostname': 'n2' } }),
    /pod updates may not change/,
  );
  await change({ schedulingGates: [] });
  const bound = await cluster.object<Pod>(PODS, 'a', isBound);
  assert.equal(bound.spec?.nodeName, 'n1');
  await assert.rejects(change({ nodeSelector: { zone: 'a' } }), /pod updates may not change/);
});
