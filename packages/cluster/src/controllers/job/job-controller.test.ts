import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { startControllers } from '../start.ts';
import { startTestCluster } from '../testing/cluster.ts';
import { TRACKING_FINALIZER } from './job-pods.ts';

function job(name: string, spec: Partial<NonNullable<Job['spec']>> = {}): Job {
  return {
    metadata: { name, namespace: 'default' },
    spec: {
      completions: 1,
      parallelism: 1,
      ...spec,
      template: { spec: { containers: [{ name: 'main', image: 'sample' }], restartPolicy: 'Never' } },
    },
  };
}

test('a job whose pods succeed is complete', async (t) => {
  const cluster = await startTestCluster(t);
  const created = await cluster.create(JOBS, job('work', { completions: 3, parallelism: 2 }));
  for (const pod of await cluster.pods(2)) {
    assert.match(pod.metadata.name, /^work-[a-z0-9]{5}$/);
    assert.equal(pod.metadata.labels?.['batch.kubernetes.io/controller-uid'], created.metadata.uid);
    assert.equal(pod.metadata.labels?.['job-name'], 'work');
    assert.deepEqual(pod.metadata.finalizers, [TRACKING_FINALIZER]);
    await cluster.end(pod, 'Succeeded');
  }
  const last = (await cluster.pods(3)).find((pod) => pod.status?.phase !== 'Succeeded');
  assert.ok(last);
  await cluster.end(last, 'Succeeded');
  const done = await cluster.object<Job>(JOBS, 'work', (j) =>
    isConditionTrue(j.status?.conditions, 'Complete'),
  );
  assert.equal(done.status?.succeeded, 3);
  assert.deepEqual(done.status?.uncountedTerminatedPods, {});
  const pods = await cluster.list<Pod>(PODS, (all) =>
    all.every((pod) => pod.metadata.finalizers === undefined),
  );
  assert.equal(pods.length, 3, 'no more pods than completions were ever made');
  assert.equal((await cluster.events('Completed'))[0]?.message, 'Job completed');
});

test('a job without retries fails with its pod', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(JOBS, job('work', { backoffLimit: 0 }));
  const [pod] = await cluster.pods(1);
  assert.ok(pod);
  await cluster.end(pod, 'Failed');
  const failed = await cluster.object<Job>(JOBS, 'work', (j) =>
    isConditionTrue(j.status?.conditions, 'Failed'),
  );
  assert.equal(failed.status?.failed, 1);
  const condition = failed.status?.conditions?.find(({ type }) => type === 'Failed');
  assert.equal(condition?.reason, 'BackoffLimitExceeded');
  assert.equal((await cluster.pods(1)).length, 1);
});

test('a job replaces a failed pod after its back-off', async (t) => {
  const cluster = await startTestCluster(t, { options: { jobBackoffMs: 0 } });
  await cluster.create(JOBS, job('work', { backoffLimit: 2 }));
  const [first] = await cluster.pods(1);
  assert.ok(first);
  await cluster.end(first, 'Failed');
  const second = (await cluster.pods(2)).find((pod) => pod.metadata.name !== first.metadata.name);
  assert.ok(second);
  await cluster.end(second, 'Succeeded');
  const done = await cluster.object<Job>(JOBS, 'work', (j) =>
    isConditionTrue(j.status?.conditions, 'Complete'),
  );
  assert.equal(done.status?.failed, 1);
  assert.equal(done.status?.succeeded, 1);
});

test('a pod deleted from a job counts as failed and is gone for good', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(JOBS, job('work', { backoffLimit: 0 }));
  const [pod] = await cluster.pods(1);
  assert.ok(pod);
  await cluster.bury(pod);
  await cluster.gone(PODS, pod.metadata.name);
  const failed = await cluster.object<Job>(JOBS, 'work', (j) =>
    isConditionTrue(j.status?.conditions, 'Failed'),
  );
  assert.equal(failed.status?.failed, 1);
});

test('suspending removes the pods, resuming makes new ones', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(JOBS, job('work', { parallelism: 2, completions: 2 }));
  await cluster.pods(2);
  const suspend = (value: boolean) =>
    cluster.client.patch(JOBS, 'work', 'merge', { spec: { suspend: value } }, { namespace: 'default' });
  await suspend(true);
  await cluster.pods(0);
  await cluster.object<Job>(JOBS, 'work', (j) => isConditionTrue(j.status?.conditions, 'Suspended'));
  await suspend(false);
  await cluster.pods(2);
  const resumed = await cluster.object<Job>(JOBS, 'work', (j) => j.status?.active === 2);
  assert.equal(resumed.status?.failed, undefined);
});

test('pods of a deleted job go with it, though they wait to be counted', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(JOBS, job('work', { parallelism: 2, completions: 2 }));
  const [first] = await cluster.pods(2);
  assert.ok(first);
  await cluster.end(first, 'Succeeded');
  await cluster.client.delete(JOBS, 'work', { namespace: 'default', propagationPolicy: 'Background' });
  await cluster.list<Pod>(PODS, (pods) => pods.length === 0);
});

const replacesEnded = {
  completionMode: 'Indexed',
  completions: 2,
  parallelism: 2,
  podReplacementPolicy: 'Failed',
} as const;

test('pods that were never bound and are deleted end as failed, and are replaced', async (t) => {
  const cluster = await startTestCluster(t, { options: { jobBackoffMs: 0 } });
  await cluster.create(JOBS, job('work', replacesEnded));
  const pods = await cluster.pods(2);
  await Promise.all(pods.map((pod) => cluster.bury(pod)));
  for (const { metadata } of pods) await cluster.gone(PODS, metadata.name);
  await cluster.object<Job>(JOBS, 'work', ({ status }) => status?.failed === 2);
  await cluster.pods(2);
});

test('pods that were going before their job go with it, and keep nothing', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(JOBS, job('work', replacesEnded));
  const [pod] = await cluster.pods(2);
  assert.ok(pod);
  // Bound, to a node whose agent does not answer: it stays.
  const { name, namespace = 'default' } = pod.metadata;
  const binding = { target: { kind: 'Node', name: 'away' }, metadata: { name } };
  await cluster.client.raw('POST', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, binding);
  await cluster.client.delete(PODS, name, { namespace });
  await cluster.list<Pod>(PODS, (all) =>
    all.some(({ metadata }) => metadata.name === name && metadata.deletionTimestamp !== undefined),
  );
  await cluster.client.delete(JOBS, 'work', { namespace, propagationPolicy: 'Background' });
  await cluster.gone(JOBS, 'work');
  await cluster.list<Pod>(PODS, (all) => all.every(({ metadata }) => metadata.finalizers === undefined));
});

test('an index that fails too often is given up, the others go on, and the job has failed when all are over', async (t) => {
  const cluster = await startTestCluster(t, { options: { jobBackoffMs: 0 } });
  const spec = {
    completionMode: 'Indexed',
    completions: 2,
    parallelism: 2,
    backoffLimitPerIndex: 1,
  } as const;
  await cluster.create(JOBS, job('work', spec));
  const indexOf = ({ metadata }: Pod) => metadata.annotations?.['batch.kubernetes.io/job-completion-index'];
  const failuresOf = ({ metadata }: Pod) =>
    metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'];
  const [first] = (await cluster.pods(2)).filter((pod) => indexOf(pod) === '1');
  assert.ok(first);
  assert.equal(failuresOf(first), '0');
  await cluster.end(first, 'Failed');
  const again = (await cluster.pods(3)).find(
    (pod) => indexOf(pod) === '1' && pod.metadata.name !== first.metadata.name,
  );
  assert.ok(again);
  assert.equal(failuresOf(again), '1');
  await cluster.end(again, 'Failed');
  const going = await cluster.object<Job>(JOBS, 'work', ({ status }) => status?.failedIndexes === '1');
  assert.equal(going.status?.active, 1);
  const other = (await cluster.pods(3)).find((pod) => indexOf(pod) === '0');
  assert.ok(other);
  await cluster.end(other, 'Succeeded');
  const over = await cluster.object<Job>(JOBS, 'work', ({ status }) =>
    isConditionTrue(status?.conditions, 'Failed'),
  );
  const { reason, message } = over.status?.conditions?.find(({ type }) => type === 'Failed') ?? {};
  assert.deepEqual({ reason, message }, { reason: 'FailedIndexes', message: 'Job has failed indexes' });
  const { completedIndexes, failedIndexes, failed } = over.status ?? {};
  assert.deepEqual(
    { completedIndexes, failedIndexes, failed },
    { completedIndexes: '0', failedIndexes: '1', failed: 2 },
  );
  await cluster.list<Pod>(PODS, (pods) => pods.every(({ metadata }) => metadata.finalizers === undefined));
});

test('more failed indexes than allowed end the job at once', async (t) => {
  const cluster = await startTestCluster(t, { options: { jobBackoffMs: 0 } });
  const spec = {
    completionMode: 'Indexed',
    completions: 3,
    parallelism: 2,
    backoffLimitPerIndex: 0,
  } as const;
  await cluster.create(JOBS, job('work', { ...spec, maxFailedIndexes: 0 }));
  const [pod] = await cluster.pods(2);
  assert.ok(pod);
  await cluster.end(pod, 'Failed');
  const over = await cluster.object<Job>(JOBS, 'work', ({ status }) =>
    isConditionTrue(status?.conditions, 'FailureTarget'),
  );
  const found = over.status?.conditions?.find(({ type }) => type === 'FailureTarget');
  assert.equal(found?.reason, 'MaxFailedIndexesExceeded');
  assert.equal(over.spec?.backoffLimit, 2_147_483_647);
});

test('a job removes itself when its time to live is over', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create(JOBS, job('work', { ttlSecondsAfterFinished: 0 }));
  const [pod] = await cluster.pods(1);
  assert.ok(pod);
  await cluster.end(pod, 'Succeeded');
  await cluster.gone(JOBS, 'work');
  await cluster.list<Pod>(PODS, (pods) => pods.length === 0);
});

test('what ended while no controller ran is counted by the next', async (t) => {
  const cluster = await startTestCluster(t, { controllers: false });
  const first = await startControllers({ client: cluster.client });
  await cluster.create(JOBS, job('work'));
  const [pod] = await cluster.pods(1);
  assert.ok(pod);
  await cluster.object<Job>(JOBS, 'work', ({ status }) => status?.active === 1);
  await first.stop();
  await cluster.end(pod, 'Succeeded');
  await cluster.bury(pod);
  const second = await startControllers({ client: cluster.client });
  t.after(() => second.stop());
  const done = await cluster.object<Job>(JOBS, 'work', (j) =>
    isConditionTrue(j.status?.conditions, 'Complete'),
  );
  assert.equal(done.status?.succeeded, 1);
});
