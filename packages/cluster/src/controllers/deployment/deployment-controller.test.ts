import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Deployment, Pod, ReplicaSet } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, REPLICA_SETS } from '@turnsole/kube/kinds/resources';
import { deployment } from '../testing/builders.ts';
import { startTestCluster } from '../testing/cluster.ts';

function web(replicas: number): Deployment {
  const { metadata: _, ...rest } = deployment('web', replicas);
  return { ...rest, metadata: { name: 'web', namespace: 'default' } };
}

test('a deployment rolls out, is updated, scaled and rolled back', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(DEPLOYMENTS, web(3));
  const first = await cluster.pods(3);
  for (const pod of first) {
    assert.match(pod.metadata.name, /^web-[a-z0-9]+-[a-z0-9]{5}$/);
    assert.equal(pod.metadata.labels?.app, 'web');
    await cluster.run(pod);
  }
  const ready = await cluster.object<Deployment>(
    DEPLOYMENTS,
    'web',
    (d) => d.status?.availableReplicas === 3,
  );
  assert.equal(ready.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
  await cluster.object<Deployment>(
    DEPLOYMENTS,
    'web',
    (d) => findCondition(d.status?.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable',
  );

  const image = (name: string) => ({
    spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } },
  });
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', image('sample:2'), { namespace: 'default' });
  // One pod more than wanted at first; as new ones become ready, old ones go.
  await cluster.list<ReplicaSet>(REPLICA_SETS, (sets) => sets.length === 2);
  const isNew = (pod: Pod) => pod.spec?.containers[0]?.image === 'sample:2';
  for (let made = 0; made < 3; made++) {
    const pods = await cluster.list<Pod>(
      { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true },
      (all) => all.some((pod) => isNew(pod) && pod.status?.phase !== 'Running'),
    );
    for (const pod of pods.filter((one) => isNew(one) && one.status?.phase !== 'Running'))
      await cluster.run(pod);
  }
  const updated = await cluster.object<Deployment>(
    DEPLOYMENTS,
    'web',
    (d) => d.status?.updatedReplicas === 3 && d.status.replicas === 3 && d.status.availableReplicas === 3,
  );
  assert.equal(updated.metadata.annotations?.['deployment.kubernetes.io/revision'], '2');

  await cluster.client.patch(
    DEPLOYMENTS,
    'web',
    'merge',
    { spec: { replicas: 1 } },
    { namespace: 'default' },
  );
  await cluster.object<Deployment>(DEPLOYMENTS, 'web', (d) => d.status?.replicas === 1);
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', image('sample:1'), { namespace: 'default' });
  const undone = await cluster.list<ReplicaSet>(REPLICA_SETS, (sets) =>
    sets.some((set) => set.metadata.annotations?.['deployment.kubernetes.io/revision'] === '3'),
  );
  assert.equal(undone.length, 2, 'the replica set of the first revision is used again');
  const events = await cluster.events('ScalingReplicaSet');
  assert.match(events[0]?.message ?? '', /^Scaled up replica set web-\w+ from 0 to 3$/);
  assert.equal(events[0]?.source?.component, 'deployment-controller');
  assert.equal((await cluster.events('SuccessfulCreate'))[0]?.involvedObject.kind, 'ReplicaSet');
});
