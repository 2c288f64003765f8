import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { hopelessReason } from './await-workloads.ts';
import { type EngineProgress, judgeProgress, liveStateOf, TimelineFeed } from './engine-progress.ts';
import { readinessOf } from './readiness.ts';

function engineWith(status: object, spec: object = {}): ChaosEngine {
  return { metadata: { name: 'web' }, spec, status } as unknown as ChaosEngine;
}

describe('judgeProgress', () => {
  const blocked = { conditions: [{ type: 'Runnable', status: 'False', message: 'no such account' }] };
  const TABLE: readonly {
    name: string;
    engine: ChaosEngine | undefined;
    previous?: string;
    sawRunning?: boolean;
    expected: EngineProgress;
  }[] = [
    { name: 'deleted', engine: undefined, expected: { state: 'gone' } },
    { name: 'not taken up yet', engine: engineWith({}), expected: { state: 'waiting' } },
    {
      name: 'under way',
      engine: engineWith({ engineStatus: 'initialized', runId: '2' }),
      expected: { state: 'running' },
    },
    {
      name: 'completed',
      engine: engineWith({ engineStatus: 'completed', runId: '1' }),
      expected: { state: 'ended' },
    },
    {
      name: 'still the previous run',
      engine: engineWith({ engineStatus: 'completed', runId: '1' }),
      previous: '1',
      expected: { state: 'waiting' },
    },
    {
      name: 'the next run of another operator, known by having been under way',
      engine: engineWith({ engineStatus: 'completed' }),
      previous: '1',
      sawRunning: true,
      expected: { state: 'ended' },
    },
    {
      name: 'could not run',
      engine: engineWith({ engineStatus: 'stopped', runId: '2', ...blocked }),
      previous: '1',
      expected: { state: 'ended', reason: 'no such account' },
    },
  ];
  for (const { name, engine, previous, sawRunning = false, expected } of TABLE) {
    it(name, () => assert.deepEqual(judgeProgress(engine, previous, sawRunning), expected));
  }
});

describe('TimelineFeed', () => {
  it('gives each entry once, also when it is seen in a later state of the object', () => {
    const feed = new TimelineFeed();
    const first = { time: '2026-01-01T00:00:01Z', actor: 'a', step: 'A', message: 'a' };
    const second = { ...first, time: '2026-01-01T00:00:02Z' };
    assert.deepEqual(feed.next({ engine: engineWith({ timeline: [first] }), results: [] }, undefined), [
      first,
    ]);
    assert.deepEqual(
      feed.next({ engine: engineWith({ timeline: [first, second] }), results: [] }, undefined),
      [second],
    );
  });
});

describe('readinessOf', () => {
  const workload = (kind: string, generation: number, status: object): KubeObject =>
    ({ kind, metadata: { name: 'x', generation }, spec: { replicas: 2 }, status }) as KubeObject;
  const deployment = (generation: number, status: object): KubeObject =>
    workload('Deployment', generation, status);
  const DEPLOYED = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  const NODES = {
    observedGeneration: 2,
    desiredNumberScheduled: 2,
    updatedNumberScheduled: 2,
    numberReady: 2,
  };
  const TABLE: readonly { name: string; object: KubeObject; ready: boolean; state: string }[] = [
    {
      name: 'a deployment that no controller has seen',
      object: deployment(1, {}),
      ready: false,
      state: '0/2 pods ready',
    },
    {
      name: 'a deployment half ready',
      object: deployment(1, { observedGeneration: 1, updatedReplicas: 2, availableReplicas: 1 }),
      ready: false,
      state: '1/2 pods ready',
    },
    {
      name: 'a deployment ready in its previous version',
      object: deployment(2, { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
      ready: false,
      state: '2/2 pods ready, its rollout is under way',
    },
    {
      name: 'a deployment with pods of its previous version',
      object: deployment(2, { ...DEPLOYED, replicas: 3 }),
      ready: false,
      state: '2/2 pods ready, its rollout is under way',
    },
    {
      name: 'a deployment whose rollout has exceeded its deadline',
      object: deployment(2, {
        ...DEPLOYED,
        availableReplicas: 1,
        conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }],
      }),
      ready: false,
      state: '1/2 pods ready',
    },
    {
      name: 'a stateful set with pods of its previous version',
      object: workload('StatefulSet', 2, {
        ...{ observedGeneration: 2, replicas: 2, readyReplicas: 2, updatedReplicas: 1 },
        ...{ currentRevision: 'a', updateRevision: 'b' },
      }),
      ready: false,
      state: '2/2 pods ready, its rollout is under way',
    },
    {
      name: 'a daemon set with pods of its previous version',
      object: workload('DaemonSet', 2, { ...NODES, updatedNumberScheduled: 1 }),
      ready: false,
      state: '2/2 pods ready, its rollout is under way',
    },
    {
      name: 'a ready daemon set',
      object: workload('DaemonSet', 2, NODES),
      ready: true,
      state: '2/2 pods ready',
    },
    {
      name: 'a ready deployment',
      object: deployment(2, DEPLOYED),
      ready: true,
      state: '2/2 pods ready',
    },
  ];
  for (const { name, object, ready, state } of TABLE) {
    it(name, () => assert.deepEqual(readinessOf(object), { ready, state }));
  }
});

describe('hopelessReason', () => {
  const waiting = (reason: string): Pod => ({
    metadata: { name: 'p' },
    status: {
      containerStatuses: [
        {
          name: 'c',
          image: 'i',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason, message: 'why' } },
        },
      ],
    },
  });
  const message = (reason: string): string => `container c of pod p (image i) is waiting with ${reason}: why`;
  const TABLE: readonly { reason: string; patient: boolean; expected: string | undefined }[] = [
    { reason: 'ErrImagePull', patient: false, expected: message('ErrImagePull') },
    { reason: 'ErrImagePull', patient: true, expected: undefined },
    { reason: 'InvalidImageName', patient: true, expected: message('InvalidImageName') },
    { reason: 'CrashLoopBackOff', patient: false, expected: undefined },
  ];
  for (const { reason, patient, expected } of TABLE) {
    it(`${reason}, ${patient ? 'patient' : 'impatient'}`, () => {
      assert.equal(hopelessReason(waiting(reason), patient), expected);
    });
  }
});

describe('liveStateOf', () => {
  const mark = (step: string, second: number, runId = 'r2') => ({
    time: `2026-01-01T00:00:0${second}.000Z`,
    actor: 'experiment/pod-delete',
    step,
    message: step,
    runId,
  });
  const startedAt = (timeline: readonly object[]): number | undefined =>
    liveStateOf({
      engine: engineWith({ runId: 'r2', experiments: [{ name: 'pod-delete', status: 'Running' }] }),
      // As far as the live line looks at a result.
      results: [{ spec: { experiment: 'pod-delete' }, status: { timeline } }] as unknown as ChaosResult[],
    })?.chaosStartedAtMs;
  const earlier = mark('ChaosStarted', 1, 'r1');
  const TABLE: readonly { name: string; timeline: readonly object[]; expected: string | undefined }[] = [
    { name: 'nothing yet', timeline: [], expected: undefined },
    { name: 'only an earlier run', timeline: [earlier], expected: undefined },
    {
      name: 'under way',
      timeline: [earlier, mark('ChaosStarted', 3), mark('Injected', 4)],
      expected: '2026-01-01T00:00:03.000Z',
    },
    {
      name: 'over',
      timeline: [mark('ChaosStarted', 3), mark('ChaosEnded', 5)],
      expected: undefined,
    },
  ];
  for (const { name, timeline, expected } of TABLE) {
    it(`knows when chaos began: ${name}`, () =>
      assert.equal(startedAt(timeline), expected === undefined ? undefined : Date.parse(expected)));
  }
});
