import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from '@turnsole/kube/kinds/core';
import { CRON_JOBS } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import type { CronJob } from '../shared/types.ts';
import { at, START_MS } from '../testing/builders.ts';
import { decideCronJob } from './decide-cron-job.ts';

type Spec = NonNullable<CronJob['spec']>;

function cronJob(spec: Partial<Spec> = {}, status?: CronJob['status']): CronJob {
  return {
    metadata: { name: 'tidy', namespace: 'default', uid: 'uid-tidy', creationTimestamp: at(-3600) },
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        metadata: { labels: { app: 'tidy' } },
        spec: { template: { spec: { containers: [] } } },
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

function job(name: string, end?: 'Complete' | 'Failed', seconds = 0): Job {
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '1',
      ownerReferences: [ownerReference(CRON_JOBS, cronJob())],
    },
    status: {
      startTime: at(seconds),
      ...(end === 'Complete' ? { completionTime: at(seconds + 1) } : {}),
      ...(end === undefined ? {} : { conditions: [{ type: end, status: 'True' }] }),
    },
  };
}

const last = { lastScheduleTime: at(-300) };

describe('a cron job', () => {
  test('creates the job that is due, named after its minute', () => {
    const plan = decideCronJob({ cronJob: cronJob({}, last), jobs: [], nowMs: START_MS + 2_000 });
    assert.equal(plan.create?.metadata.name, `tidy-${START_MS / 60_000}`);
    assert.equal(
      plan.create?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'],
      at(0),
    );
    assert.equal(plan.create?.metadata.labels?.app, 'tidy');
    assert.equal(plan.status?.lastScheduleTime, at(0));
    assert.equal(plan.requeueAfterMs, 298_000);
  });

  const running = job('tidy-1');
  const table: readonly (readonly [string, CronJob, readonly Job[], boolean, string[], string[]])[] = [
    ['not before it is due', cronJob({}, { lastScheduleTime: at(0) }), [], false, [], []],
    ['only the latest of several missed', cronJob(), [], true, [], []],
    ['not when suspended', cronJob({ suspend: true }, last), [], false, [], []],
    ['not twice', cronJob({}, last), [job(`tidy-${START_MS / 60_000}`)], false, [], []],
    [
      'not beside a running one if that is forbidden',
      cronJob({ concurrencyPolicy: 'Forbid' }, last),
      [running],
      false,
      [],
      ['JobAlreadyActive'],
    ],
    [
      'instead of a running one',
      cronJob({ concurrencyPolicy: 'Replace' }, last),
      [running],
      true,
      ['tidy-1'],
      [],
    ],
    ['beside a running one', cronJob({}, last), [running], true, [], []],
    [
      'not in an unknown time zone',
      cronJob({ timeZone: 'Mars/Base' }, last),
      [],
      false,
      [],
      ['UnknownTimeZone'],
    ],
    ['not by nonsense', cronJob({ schedule: 'often' }, last), [], false, [], ['UnparseableSchedule']],
  ];
  for (const [name, owner, jobs, creates, deletes, reasons] of table) {
    test(name, () => {
      const plan = decideCronJob({ cronJob: owner, jobs, nowMs: START_MS });
      assert.equal(plan.create !== undefined, creates);
      assert.deepEqual(
        plan.delete.map(({ metadata }) => metadata.name),
        deletes,
      );
      assert.deepEqual(
        plan.events.map(({ reason }) => reason),
        reasons,
      );
    });
  }

  test('starts no job after its starting deadline', () => {
    const owner = cronJob({ startingDeadlineSeconds: 10 }, last);
    const plan = decideCronJob({ cronJob: owner, jobs: [], nowMs: START_MS + 11_000 });
    assert.equal(plan.create, undefined);
    assert.equal(plan.events[0]?.reason, 'MissSchedule');
  });

  test('keeps as many finished jobs as its limits say', () => {
    const jobs = [
      ...[1, 2, 3, 4].map((n) => job(`ok-${n}`, 'Complete', n)),
      ...[5, 6].map((n) => job(`bad-${n}`, 'Failed', n)),
    ];
    const plan = decideCronJob({ cronJob: cronJob({}, { lastScheduleTime: at(0) }), jobs, nowMs: START_MS });
    assert.deepEqual(
      plan.delete.map(({ metadata }) => metadata.name),
      ['ok-1', 'bad-5'],
    );
    assert.equal(plan.status?.lastSuccessfulTime, at(5));
  });

  test('lists its running jobs, and says when one has ended', () => {
    const first = decideCronJob({
      cronJob: cronJob({}, { lastScheduleTime: at(0) }),
      jobs: [running],
      nowMs: START_MS,
    });
    assert.deepEqual(
      first.status?.active?.map(({ name }) => name),
      ['tidy-1'],
    );
    const owner = cronJob({}, first.status ?? {});
    const ended = decideCronJob({ cronJob: owner, jobs: [job('tidy-1', 'Complete')], nowMs: START_MS });
    assert.equal(ended.status?.active, undefined);
    assert.deepEqual(ended.events, [
      {
        type: 'Normal',
        reason: 'SawCompletedJob',
        message: 'Saw completed job: tidy-1, condition: Complete',
      },
    ]);
  });
});
