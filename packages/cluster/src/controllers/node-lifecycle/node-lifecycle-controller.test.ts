import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Lease, Node, Pod } from '@turnsole/kube/kinds/core';
import { LEASES, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { startTestCluster } from '../testing/cluster.ts';

/** The API server keeps the machine's time, so the controllers' clock begins there too. */
function startClock(): FakeClock {
  return new FakeClock(Date.now());
}

const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

test('a node that falls silent is marked, tainted, and its pods leave when they tolerate it no longer', async (t) => {
  const clock = startClock();
  const cluster = await startTestCluster(t, { clock, options: { nodeGraceMs: 40_000 } });
  await cluster.create<Node>(NODES, { metadata: { name: 'n1' } });
  await cluster.client.patch(NODES, 'n1', 'merge', { status: ready }, { subresource: 'status' });
  const lease: Lease = {
    metadata: { name: 'n1', namespace: 'kube-node-lease' },
    spec: { holderIdentity: 'n1', renewTime: new Date(clock.now()).toISOString().replace('Z', '000Z') },
  };
  await cluster.create(LEASES, lease);
  const pod = await cluster.create<Pod>(PODS, {
    metadata: { name: 'p', namespace: 'default' },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'main', image: 'sample' }],
      tolerations: [
        {
          key: 'node.kubernetes.io/unreachable',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 30,
        },
        {
          key: 'node.kubernetes.io/not-ready',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 30,
        },
      ],
    },
  });
  await cluster.run(pod);
  await cluster.object<Node>(NODES, 'n1', ({ spec }) => (spec?.taints ?? []).length === 0);

  const silent = cluster.object<Node>(
    NODES,
    'n1',
    (node) =>
      findCondition(node.status?.conditions, 'Ready')?.status === 'Unknown' &&
      node.spec?.taints?.length === 2,
  );
  await clock.advance(40_000);
  const condition = findCondition((await silent).status?.conditions, 'Ready');
  assert.equal(condition?.reason, 'NodeStatusUnknown');
  await cluster.object<Pod>(
    PODS,
    'p',
    ({ status }) => findCondition(status?.conditions, 'Ready')?.status === 'False',
  );
  assert.equal((await cluster.events('NodeNotReady'))[0]?.source?.component, 'node-controller');

  const leaving = cluster.object<Pod>(PODS, 'p', ({ metadata }) => metadata.deletionTimestamp !== undefined);
  await clock.advance(40_000);
  const evicted = await leaving;
  assert.equal(
    findCondition(evicted.status?.conditions, 'DisruptionTarget')?.reason,
    'DeletionByTaintManager',
  );

  await cluster.client.patch(NODES, 'n1', 'merge', { status: ready }, { subresource: 'status' });
  await cluster.object<Node>(NODES, 'n1', ({ spec }) => (spec?.taints ?? []).length === 0);
});

test('pods of a node that is gone are failed and removed', async (t) => {
  const clock = startClock();
  const cluster = await startTestCluster(t, { clock, options: { nodeGraceMs: 0 } });
  await cluster.create<Pod>(PODS, {
    metadata: { name: 'p', namespace: 'default' },
    spec: { nodeName: 'gone', containers: [{ name: 'main', image: 'sample' }] },
  });
  await cluster.gone(PODS, 'p');
});
