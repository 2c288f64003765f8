import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CoreEvent, Pod, ReplicaSet } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { EVENTS, NAMESPACES, PODS, REPLICA_SETS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { controllerOf } from '@turnsole/kube/runtime/index';
import fc from 'fast-check';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';

type Move =
  | { readonly type: 'scale'; readonly replicas: number }
  | { readonly type: 'delete' | 'fail' | 'disown' | 'relabel'; readonly pick: number }
  | { readonly type: 'stray' };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ type: fc.constant('scale' as const), replicas: fc.integer({ min: 0, max: 6 }) }),
  fc.record({
    type: fc.constantFrom('delete' as const, 'fail' as const, 'disown' as const, 'relabel' as const),
    pick: fc.nat({ max: 100 }),
  }),
  fc.record({ type: fc.constant('stray' as const) }),
);

const spec = { containers: [{ name: 'main', image: 'sample' }] };

/** One move of a client that does not care about the replica set. */
async function perform(cluster: TestCluster, namespace: string, step: Move, serial: number): Promise<void> {
  const { client } = cluster;
  if (step.type === 'scale') {
    await client.patch(REPLICA_SETS, 'web', 'merge', { spec: { replicas: step.replicas } }, { namespace });
    return;
  }
  if (step.type === 'stray') {
    const metadata = { name: `stray-${serial}`, namespace, labels: { app: 'web' } };
    await client.create<Pod>(PODS, { metadata, spec }, { namespace });
    return;
  }
  const { items } = await client.list<Pod>(PODS, { namespace });
  const pod = items[step.pick % Math.max(1, items.length)];
  if (pod === undefined) return;
  const { name } = pod.metadata;
  // The pod may go at the same moment, which is no fault.
  const ignore = (): void => {};
  if (step.type === 'delete')
    await client.delete(PODS, name, { namespace, gracePeriodSeconds: 0 }).catch(ignore);
  if (step.type === 'fail') await cluster.end(pod, 'Failed').catch(ignore);
  if (step.type === 'disown') {
    await client
      .patch(PODS, name, 'merge', { metadata: { ownerReferences: null } }, { namespace })
      .catch(ignore);
  }
  if (step.type === 'relabel') {
    await client
      .patch(PODS, name, 'merge', { metadata: { labels: { app: 'other' } } }, { namespace })
      .catch(ignore);
  }
}

test('whatever happens to its pods, a replica set ends with as many as it wants', async (t) => {
  const cluster = await startTestCluster(t);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 5 }),
      fc.array(move, { maxLength: 8 }),
      async (replicas, moves) => {
        const namespace = `run-${runs++}`;
        await cluster.create(NAMESPACES, { metadata: { name: namespace } });
        await cluster.object(SERVICE_ACCOUNTS, 'default', () => true, namespace);
        const labels = { app: 'web' };
        const set: ReplicaSet = {
          metadata: { name: 'web', namespace },
          spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
        };
        const { metadata } = await cluster.create(REPLICA_SETS, set);
        let wanted = replicas;
        for (const [index, step] of moves.entries()) {
          await perform(cluster, namespace, step, index);
          if (step.type === 'scale') wanted = step.replicas;
        }
        const isOwn = (pod: Pod) => controllerOf(pod)?.uid === metadata.uid;
        const isMatching = (pod: Pod) => pod.metadata.labels?.app === 'web';
        await cluster.object<ReplicaSet>(
          REPLICA_SETS,
          'web',
          ({ metadata: { generation }, status }) =>
            (status?.replicas ?? 0) === wanted && status?.observedGeneration === generation,
          namespace,
        );
        await cluster.list<Pod>(
          PODS,
          (pods) => {
            const active = pods.filter(isActive);
            const own = active.filter(isOwn);
            return own.length === wanted && active.every((pod) => isOwn(pod) === isMatching(pod));
          },
          namespace,
        );
      },
    ),
    { numRuns: 15, endOnFailure: true },
  );
});

test('as many pods are made as are wanted, and never one more', async (t) => {
  const cluster = await startTestCluster(t);
  const labels = { app: 'web' };
  await cluster.create<ReplicaSet>(REPLICA_SETS, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 40, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  for (let replicas = 41; replicas <= 60; replicas++) {
    await cluster.client.patch(
      REPLICA_SETS,
      'web',
      'merge',
      { spec: { replicas } },
      { namespace: 'default' },
    );
  }
  await cluster.object<ReplicaSet>(REPLICA_SETS, 'web', ({ status }) => status?.replicas === 60);
  // Pods that were too many would have been deleted again, which an Event would report.
  const { items } = await cluster.client.list<CoreEvent>(EVENTS, { namespace: 'default' });
  assert.equal(items.filter(({ reason }) => reason === 'SuccessfulDelete').length, 0);
  assert.equal((await cluster.pods(60)).length, 60);
});
