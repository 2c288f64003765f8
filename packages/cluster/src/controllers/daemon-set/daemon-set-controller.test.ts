import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonSet, Node, Pod } from '@turnsole/kube/kinds/core';
import { DAEMON_SETS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { startTestCluster } from '../testing/cluster.ts';
import { daemonNodeOf } from './decide-daemon-set.ts';

test('a daemon set follows the nodes and their taints', async (t) => {
  const cluster = await startTestCluster(t);
  for (const name of ['n1', 'n2']) {
    await cluster.create<Node>(NODES, { metadata: { name } });
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    await cluster.client.patch(NODES, name, 'merge', { status }, { subresource: 'status' });
    await cluster.object<Node>(NODES, name, ({ spec }) => spec?.taints === undefined);
  }
  const wanted: DaemonSet = {
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'main', image: 'sample' }] },
      },
    },
  };
  await cluster.create(DAEMON_SETS, wanted);
  const pods = await cluster.pods(2);
  assert.deepEqual(pods.map(daemonNodeOf).sort(), ['n1', 'n2']);
  for (const pod of pods) await cluster.run(pod);
  await cluster.object<DaemonSet>(DAEMON_SETS, 'agent', ({ status }) => status?.numberAvailable === 2);

  const taint = { spec: { taints: [{ key: 'drill', effect: 'NoExecute' }] } };
  await cluster.client.patch(NODES, 'n2', 'merge', taint);
  const [left] = await cluster.pods(1);
  assert.ok(left);
  assert.equal(daemonNodeOf(left), 'n1');
  await cluster.client.patch(NODES, 'n2', 'merge', { spec: { taints: null } });
  for (const pod of await cluster.list<Pod>(PODS, () => true)) {
    if (pod.metadata.deletionTimestamp !== undefined) await cluster.bury(pod);
  }
  await cluster.pods(2);
});
