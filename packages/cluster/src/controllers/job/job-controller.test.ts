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
