import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, StatefulSet } from '@turnsole/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import type { PersistentVolumeClaim } from '../shared/types.ts';
import { startTestCluster } from '../testing/cluster.ts';

test('pods of a stateful set come in order, keep their names and claims, and go in reverse', async (t) => {
  const cluster = await startTestCluster(t);
  const wanted: StatefulSet = {
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: { containers: [{ name: 'main', image: 'sample' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };
  await cluster.create(STATEFUL_SETS, wanted);
  const [first] = await cluster.pods(1);
  assert.equal(first?.metadata.name, 'db-0');
  await cluster.object<PersistentVolumeClaim>(
    PERSISTENT_VOLUME_CLAIMS,
    'data-db-0',
    (claim) => claim.status?.phase === 'Bound' && claim.status.capacity?.storage === '1Gi',
  );
  await cluster.run(first);
  const second = (await cluster.pods(2)).find(({ metadata }) => metadata.name === 'db-1');
  assert.ok(second);
  await cluster.run(second);
  await cluster.object<StatefulSet>(STATEFUL_SETS, 'db', ({ status }) => status?.readyReplicas === 2);

  // A deleted pod comes back under its name with the same claim.
  await cluster.bury(first);
  const again = await cluster.object<Pod>(
    PODS,
    'db-0',
    ({ metadata }) => metadata.uid !== first.metadata.uid,
  );
  assert.deepEqual(
    again.spec?.volumes?.filter(({ name }) => name === 'data'),
    [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }],
  );
  await cluster.run(again);

  await cluster.client.patch(
    STATEFUL_SETS,
    'db',
    'merge',
    { spec: { replicas: 1 } },
    { namespace: 'default' },
  );
  const [last] = await cluster.pods(1);
  assert.equal(last?.metadata.name, 'db-0');
  for (const pod of await cluster.list<Pod>(PODS, () => true)) {
    if (pod.metadata.deletionTimestamp !== undefined) await cluster.bury(pod);
  }
  await cluster.gone(PODS, 'db-1');
  await cluster.object(PERSISTENT_VOLUME_CLAIMS, 'data-db-1', () => true);
  const created = await cluster.events('SuccessfulCreate');
  assert.ok(created.some(({ message }) => message === 'Create Pod db-0 in StatefulSet db successful'));
  assert.ok(
    created.some(({ message }) => message === 'Create Claim data-db-0 Pod db-0 in StatefulSet db success'),
  );
});

test('claims go with pods beyond the replicas, and with the set, if its policy says so', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create<StatefulSet>(STATEFUL_SETS, {
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      podManagementPolicy: 'Parallel',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: { containers: [{ name: 'main', image: 'sample' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  });
  const ownerOf = (kind: string) => (claim: PersistentVolumeClaim) =>
    claim.metadata.ownerReferences?.map((reference) => reference.kind).join() === kind;
  for (const name of ['data-db-0', 'data-db-1'])
    await cluster.object<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, name, ownerOf('StatefulSet'));
  const place = { namespace: 'default' };
  await cluster.client.patch(STATEFUL_SETS, 'db', 'merge', { spec: { replicas: 1 } }, place);
  await cluster.gone(PODS, 'db-1');
  await cluster.gone(PERSISTENT_VOLUME_CLAIMS, 'data-db-1');
  await cluster.object<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, 'data-db-0', ownerOf('StatefulSet'));
  await cluster.client.delete(STATEFUL_SETS, 'db', place);
  await cluster.gone(PERSISTENT_VOLUME_CLAIMS, 'data-db-0');
});
