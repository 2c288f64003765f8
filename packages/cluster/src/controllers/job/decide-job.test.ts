import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { at, type PodOptions, pod, START_MS } from '../testing/builders.ts';
import { NO_FAILURES } from './backoff.ts';
import { decideJob, type JobStep, type ObservedJob } from './decide-job.ts';
import { formatIndexes, parseIndexes } from './indexes.ts';
import { COMPLETION_INDEX, newJobPod, TRACKING_FINALIZER } from './job-pods.ts';

function job(spec: Partial<NonNullable<Job['spec']>> = {}, change: Partial<Job> = {}): Job {
  return {
    metadata: { name: 'work', namespace: 'default', uid: 'uid-work', generation: 1 },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      template: { spec: { containers: [{ name: 'main', image: 'sample' }], restartPolicy: 'Never' } },
      ...spec,
    },
    ...change,
  };
}

function tracked(name: string, options: PodOptions = {}): Pod {
  return pod(name, { finalizers: [TRACKING_FINALIZER], ready: false, ...options });
}

function decide(owner: Job, pods: readonly Pod[], change: Partial<ObservedJob> = {}): JobStep {
  return decideJob({
    job: owner,
    pods,
    streak: NO_FAILURES,
    backoff: { baseMs: 10_000, maxMs: 600_000 },
    nowMs: START_MS,
    ...change,
  });
}

/** Applies a step's status and finalizer removals; pods that are going and held by nothing vanish. */
function advance(owner: Job, pods: readonly Pod[], step: JobStep): { owner: Job; pods: Pod[] } {
  const release = new Set(step.release.map((one) => one.metadata.name));
  const doomed = new Set(step.delete.map((one) => one.metadata.name));
  const next = pods
    .map((one) => {
      const isDoomed = doomed.has(one.metadata.name);
      const isReleased = release.has(one.metadata.name) || (isDoomed && step.deleteUncounted);
      return {
        ...one,
        metadata: {
          ...one.metadata,
          ...(isReleased ? { finalizers: [] } : {}),
          ...(isDoomed ? { deletionTimestamp: at(0) } : {}),
        },
      };
    })
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined || metadata.finalizers?.length !== 0);
  return { owner: step.status === undefined ? owner : { ...owner, status: step.status }, pods: next };
}

function conditions(status: Job['status']): string[] {
  return (status?.conditions ?? []).map((c) => `${c.type}=${c.status} ${c.reason}: ${c.message}`);
}

describe('how many pods', () => {
  const running = (name: string) => tracked(name, { phase: 'Running' });
  const done = (name: string) => tracked(name, { phase: 'Succeeded' });
  const table: readonly (readonly [
    string,
    Partial<NonNullable<Job['spec']>>,
    readonly Pod[],
    number,
    number,
  ])[] = [
    ['the first', {}, [], 1, 0],
    ['no more than parallelism', { completions: 5, parallelism: 2 }, [], 2, 0],
    ['no more than completions lack', { completions: 3, parallelism: 5 }, [done('a'), done('b')], 1, 0],
    ['as many as lack', { completions: 5, parallelism: 3 }, [running('a')], 2, 0],
    ['fewer when parallelism shrank', { completions: 5, parallelism: 1 }, [running('a'), running('b')], 0, 1],
    ['none when suspended', { suspend: true }, [], 0, 0],
    [
      'all removed when suspended',
      { suspend: true, completions: 2, parallelism: 2 },
      [running('a'), running('b')],
      0,
      2,
    ],
  ];
  for (const [name, spec, pods, create, remove] of table) {
    test(name, () => {
      const step = decide(job(spec), pods);
      assert.equal(step.create.length, create);
      assert.equal(step.delete.length, remove);
    });
  }

  test('a job without completions stops creating at the first success', () => {
    const { completions: _, ...spec } = job().spec ?? { template: {} };
    const owner: Job = { ...job(), spec: { ...spec, parallelism: 3 } };
    assert.equal(decide(owner, []).create.length, 3);
    assert.equal(decide(owner, [done('a')]).create.length, 0);
  });

  test('a job that is going creates nothing and lets its pods go', () => {
    const owner = job({}, { metadata: { name: 'work', deletionTimestamp: at(0) } });
    const step = decide(owner, [running('a')]);
    assert.equal(step.create.length, 0);
    assert.equal(step.release.length, 1);
  });
});

describe('success', () => {
  test('is counted in two steps, then the job is complete', () => {
    const pods = [tracked('a', { phase: 'Succeeded' })];
    const first = decide(job(), pods);
    assert.deepEqual(first.status?.uncountedTerminatedPods, { succeeded: ['uid-a'] });
    assert.deepEqual(conditions(first.status), [
      'SuccessCriteriaMet=True CompletionsReached: Reached expected number of succeeded pods',
    ]);
    assert.equal(first.status?.succeeded, undefined, 'not counted while the finalizer is there');
    const state = advance(job(), pods, first);
    const second = decide(state.owner, state.pods);
    assert.equal(second.status?.succeeded, 1);
    assert.equal(second.status?.completionTime, at(0));
    assert.deepEqual(conditions(second.status), [
      'SuccessCriteriaMet=True CompletionsReached: Reached expected number of succeeded pods',
      'Complete=True CompletionsReached: Reached expected number of succeeded pods',
    ]);
    assert.deepEqual(second.events, [{ type: 'Normal', reason: 'Completed', message: 'Job completed' }]);
  });

  test('survives that the pod is removed before it is counted', () => {
    const pods = [tracked('a', { phase: 'Succeeded', deleted: at(1) })];
    const first = advance(job(), pods, decide(job(), pods));
    assert.deepEqual(first.pods, []);
    assert.equal(decide(first.owner, []).status?.succeeded, 1);
  });
});

describe('failure', () => {
  const failedOnce = [tracked('a', { phase: 'Failed' })];

  test('beyond the back-off limit fails the job, and the message says so', () => {
    const owner = job({ backoffLimit: 0 });
    const first = decide(owner, failedOnce);
    assert.deepEqual(conditions(first.status), [
      'FailureTarget=True BackoffLimitExceeded: Job has reached the specified backoff limit',
    ]);
    const state = advance(owner, failedOnce, first);
    const second = decide(state.owner, state.pods);
    assert.equal(second.status?.failed, 1);
    assert.deepEqual(conditions(second.status).slice(1), [
      'Failed=True BackoffLimitExceeded: Job has reached the specified backoff limit',
    ]);
    assert.deepEqual(second.events, [
      {
        type: 'Warning',
        reason: 'BackoffLimitExceeded',
        message: 'Job has reached the specified backoff limit',
      },
    ]);
  });

  test('within it waits longer each time before the next pod', () => {
    const first = decide(job(), failedOnce);
    assert.equal(first.create.length, 0);
    assert.equal(first.requeueAfterMs, 10_000);
    assert.deepEqual(first.streak, { failures: 1, lastFailureMs: START_MS });
    const state = advance(job(), failedOnce, first);
    const waiting = decide(state.owner, state.pods, { streak: first.streak, nowMs: START_MS + 9_000 });
    assert.equal(waiting.requeueAfterMs, 1_000);
    const due = decide(state.owner, state.pods, { streak: first.streak, nowMs: START_MS + 10_000 });
    assert.equal(due.create.length, 1);
    const often = decide(state.owner, [], { streak: { failures: 3, lastFailureMs: START_MS } });
    assert.equal(often.requeueAfterMs, 40_000);
  });

  test('a deleted running pod counts as failed', () => {
    const owner = job({ backoffLimit: 0 });
    const step = decide(owner, [tracked('a', { deleted: at(1) })]);
    assert.deepEqual(step.status?.uncountedTerminatedPods, { failed: ['uid-a'] });
    assert.equal(step.status?.terminating, 1);
  });

  test('the job is failed only when its last pod is gone', () => {
    const owner = job({ activeDeadlineSeconds: 5 }, { status: { startTime: at(0) } });
    const nowMs = START_MS + 5_000;
    const pods = [tracked('a')];
    const stop = decide(owner, pods, { nowMs });
    assert.deepEqual(
      stop.delete.map((one) => one.metadata.name),
      ['a'],
    );
    const going = [tracked('a', { deleted: at(5) })];
    const bound = decide(owner, going, { nowMs });
    assert.deepEqual(conditions(bound.status), [
      'FailureTarget=True DeadlineExceeded: Job was active longer than specified deadline',
    ]);
    const held = decide({ ...owner, status: bound.status ?? {} }, [pod('a', { deleted: at(5) })], { nowMs });
    assert.equal(held.status?.conditions?.length, 1);
    assert.deepEqual(
      [bound.requeueAfterMs, held.requeueAfterMs],
      [undefined, undefined],
      'the pods tell when they are gone; the deadline is not to be waited for again',
    );
    const gone = decide({ ...owner, status: bound.status ?? {} }, [], { nowMs });
    assert.deepEqual(conditions(gone.status).slice(1), [
      'Failed=True DeadlineExceeded: Job was active longer than specified deadline',
    ]);
  });

  test('restarts in place count with restartPolicy OnFailure', () => {
    const template = { spec: { containers: [], restartPolicy: 'OnFailure' as const } };
    const step = decide(job({ template, backoffLimit: 2 }), [tracked('a', { restarts: 2 })]);
    assert.equal(step.delete.length, 1);
  });

  test('the pod failure policy can ignore it or end the job', () => {
    const exited = tracked('a', {
      phase: 'Failed',
      status: {
        containerStatuses: [
          {
            name: 'main',
            image: 'sample',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode: 42, finishedAt: at(0) } },
          },
        ],
      },
    });
    const rule = (action: string) => ({
      rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }],
    });
    const ignored = decide(job({ backoffLimit: 0, podFailurePolicy: rule('Ignore') }), [exited]);
    assert.deepEqual(ignored.status?.conditions, undefined);
    const ended = decide(job({ podFailurePolicy: rule('FailJob') }), [exited]);
    assert.deepEqual(conditions(ended.status), [
      'FailureTarget=True PodFailurePolicy: Container main for pod default/a failed with exit code 42 matching FailJob rule at index 0',
    ]);
  });
});

describe('suspending', () => {
  test('sets the condition Suspended, and resuming starts the clock anew', () => {
    const owner = job({ suspend: true });
    const suspended = decide(owner, []);
    assert.deepEqual(conditions(suspended.status), ['Suspended=True JobSuspended: Job suspended']);
    assert.equal(suspended.status?.startTime, undefined);
    const resumed = job({}, { status: { ...suspended.status } });
    const created = decide(resumed, []);
    assert.equal(created.create.length, 1);
    const step = decide(resumed, [tracked('a')], { nowMs: START_MS + 60_000 });
    assert.deepEqual(conditions(step.status), ['Suspended=False JobResumed: Job resumed']);
    assert.equal(step.status?.startTime, at(60));
  });
});

describe('an indexed job', () => {
  const spec = { completionMode: 'Indexed', completions: 4, parallelism: 3 };
  const indexed = (name: string, index: number, options: PodOptions = {}) =>
    tracked(name, { ...options, annotations: { [COMPLETION_INDEX]: String(index) } });

  test('creates the lowest free indexes', () => {
    const pods = [indexed('a', 0, { phase: 'Succeeded' }), indexed('b', 2)];
    assert.deepEqual(decide(job(spec), pods).create, [1, 3]);
  });

  test('counts each index once', () => {
    const pods = [0, 1, 2, 3].map((index) => indexed(`p${index}`, index, { phase: 'Succeeded' }));
    const step = decide(job(spec), pods);
    assert.equal(step.status?.completedIndexes, '0-3');
    assert.equal(step.status?.succeeded, 4);
  });

  test('removes a second pod of the same index', () => {
    const twins = [indexed('a', 0), indexed('b', 0), indexed('c', 1)];
    const step = decide(job({ ...spec, completions: 3 }), twins);
    assert.equal(step.delete.length, 1);
    assert.equal(step.deleteUncounted, true);
  });

  test('ends early when the success policy is met', () => {
    const owner = job({
      ...spec,
      successPolicy: { rules: [{ succeededIndexes: '0,2', succeededCount: 1 }] },
    });
    const pods = [indexed('a', 2, { phase: 'Succeeded' }), indexed('b', 0)];
    assert.deepEqual(
      decide(owner, pods).delete.map((one) => one.metadata.name),
      ['b'],
    );
  });

  test('gives the pod its index in name, host name, label, annotation and environment', () => {
    const made = newJobPod(job(spec), 3);
    assert.equal(made.metadata.generateName, 'work-3-');
    assert.equal(made.spec?.hostname, 'work-3');
    assert.equal(made.metadata.labels?.[COMPLETION_INDEX], '3');
    assert.equal(made.metadata.annotations?.[COMPLETION_INDEX], '3');
    assert.deepEqual(made.spec?.containers[0]?.env, [{ name: 'JOB_COMPLETION_INDEX', value: '3' }]);
  });
});

test('a finished job is removed when its time to live is over', () => {
  const condition = { type: 'Complete', status: 'True', lastTransitionTime: at(0) };
  const owner = job({ ttlSecondsAfterFinished: 10 }, { status: { conditions: [condition] } });
  assert.equal(decide(owner, []).requeueAfterMs, 10_000);
  assert.equal(decide(owner, [], { nowMs: START_MS + 10_000 }).expire, true);
});

test('sets of indexes are read from text and written as the same text', () => {
  for (const text of ['', '0', '1,3-5,7', '0-2', '4,5', '1,2,9']) {
    assert.equal(formatIndexes(parseIndexes(text)), text);
  }
});
