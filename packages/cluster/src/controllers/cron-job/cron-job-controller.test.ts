import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '@turnsole/kube/kinds/core';
import { CRON_JOBS, JOBS } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { CronJob } from '../shared/types.ts';
import { startTestCluster } from '../testing/cluster.ts';

test('a cron job makes a job each minute', async (t) => {
  const clock = new FakeClock(Date.now());
  const cluster = await startTestCluster(t, { clock });
  await cluster.create<CronJob>(CRON_JOBS, {
    metadata: { name: 'tidy', namespace: 'default' },
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        spec: {
          template: { spec: { containers: [{ name: 'main', image: 'sample' }], restartPolicy: 'Never' } },
        },
      },
    },
  });
  const first = cluster.list<Job>(JOBS, (jobs) => jobs.length === 1);
  // The pass that sets the timer runs when the watch has reported the cron job.
  await clock.untilPending(1);
  while ((await Promise.race([first, clock.advance(10_000)])) === undefined);
  const [job] = await first;
  assert.match(job?.metadata.name ?? '', /^tidy-\d{8}$/);
  assert.equal(job?.metadata.ownerReferences?.[0]?.kind, 'CronJob');
  await cluster.object<CronJob>(CRON_JOBS, 'tidy', ({ status }) => status?.active?.length === 1);
  const events = await cluster.events('SuccessfulCreate');
  const own = events.find(({ involvedObject }) => involvedObject.kind === 'CronJob');
  assert.equal(own?.message, `Created job ${job?.metadata.name}`);
});
