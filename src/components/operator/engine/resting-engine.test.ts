import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ChaosEngine,
  type ChaosEngineStatus,
  CONDITION_MONITORED,
  ENGINE_FINALIZER,
} from '../../../api/index.ts';
import type { EngineAction } from './actions.ts';
import { decideEngine } from './decide-engine.ts';
import { observeEngine } from './observed.ts';
import { isResting, needsWholeEngine, slimEngine } from './resting-engine.ts';

interface Case {
  readonly state?: 'active' | 'stop';
  readonly status?: ChaosEngineStatus['engineStatus'];
  readonly deleted?: boolean;
  readonly monitored?: boolean;
}

function engineOf({ state, status, deleted = false, monitored = false }: Case): ChaosEngine {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [ENGINE_FINALIZER],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'kept while it runs' },
      ownerReferences: [
        { apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosSchedule', name: 's', uid: 'u2' },
      ],
      managedFields: [{ manager: 'kubectl' }],
      ...(deleted ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: {
      ...(state === undefined ? {} : { engineState: state }),
      chaosServiceAccount: 'chaos-sa',
      jobCleanUpPolicy: 'delete',
      terminationGracePeriodSeconds: 5,
      experiments: [{ name: 'pod-delete' }],
    },
    ...(status === undefined
      ? {}
      : {
          status: {
            engineStatus: status,
            runId: 'r1',
            experiments: [],
            ...(monitored ? { conditions: [{ type: CONDITION_MONITORED, status: 'True' }] } : {}),
            timeline: ['00:00', '00:01'].map((minute) => ({
              time: `2026-01-01T${minute}:00Z`,
              actor: 'operator',
              step: 'x',
              message: 'y',
            })),
          },
        }),
  };
}

const CASES: readonly [name: string, engine: Case, resting: boolean][] = [
  ['never begun and stopped', { state: 'stop' }, true],
  ['completed', { state: 'stop', status: 'completed' }, true],
  ['completed, with a monitor', { state: 'stop', status: 'completed', monitored: true }, true],
  ['stopped', { state: 'stop', status: 'stopped' }, true],
  ['about to begin', { state: 'active' }, false],
  ['about to begin, without a state', {}, false],
  ['running', { state: 'active', status: 'initialized' }, false],
  ['being stopped', { state: 'stop', status: 'initialized' }, false],
  ['to be restarted', { state: 'active', status: 'completed' }, false],
  ['being deleted', { state: 'stop', status: 'completed', deleted: true }, false],
  // A word of a newer operator.
  ['unknown', { state: 'stop', status: 'paused' as never }, false],
];

for (const [name, options, resting] of CASES) {
  test(`resting engine: one that is ${name} is ${resting ? 'at rest' : 'kept whole'}`, () => {
    assert.equal(isResting(engineOf(options)), resting);
    const slim = slimEngine(engineOf(options));
    assert.equal(slim.metadata.managedFields, undefined);
    // What was asked for is looked at once more before a run begins, and not after that.
    const isKept = !resting && options.status !== 'initialized';
    const applied = slim.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'];
    assert.equal(applied, isKept ? '{}' : undefined);
    assert.deepEqual(slimEngine(structuredClone(slim)), slim, 'doing it again changes nothing');
    if (resting) {
      assert.deepEqual(slim.spec.experiments, []);
      const times = slim.status?.timeline?.map(({ time }) => time);
      assert.deepEqual(times, options.status === undefined ? undefined : ['2026-01-01T00:01:00Z']);
      const own = engineOf(options);
      delete own.metadata.ownerReferences;
      assert.equal(slimEngine(own).status?.timeline, undefined);
    } else {
      const { metadata: _whole, ...rest } = engineOf(options);
      const { metadata, ...kept } = slim;
      assert.deepEqual(kept, rest);
      assert.equal(metadata.annotations?.note, 'kept while it runs');
    }
  });
}

/** What there may be beside an engine at rest: its runner and an experiment's pod, at work, ended or going. */
const PODS = [
  [],
  [podOf('web-runner', 'Running'), podOf('x', 'Running')],
  [podOf('web-runner', 'Succeeded'), podOf('x', 'Succeeded')],
  [podOf('web-runner', 'Running', '2026-01-01T00:00:30Z')],
  [podOf('x', 'Running', '2026-01-01T00:00:30Z', 0)],
];

function podOf(name: string, phase: string, deletionTimestamp?: string, deletionGracePeriodSeconds?: number) {
  return {
    metadata: {
      name,
      namespace: 'shop',
      labels: { app: 'web', chaosUID: 'u1' },
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    },
    spec: { containers: [], nodeName: 'n1' },
    status: { phase },
  };
}

test('resting engine: what is kept of it leads to the same decisions as the whole', () => {
  const decide = (engine: ChaosEngine, pods: ReturnType<typeof podOf>[], nowMs: number): EngineAction[] =>
    decideEngine(
      observeEngine({ engine, runner: pods[0], pods, jobs: [] }, { nowMs, problems: [], isFresh: false }),
    );
  for (const [name, options, resting] of CASES) {
    if (!resting) continue;
    for (const pods of PODS) {
      for (const nowMs of [0, 1, 10].map((years) => Date.parse('2026-01-01T00:00:00Z') + years * 3.2e10)) {
        const whole = decide(engineOf(options), pods, nowMs);
        assert.deepEqual(decide(slimEngine(engineOf(options)), pods, nowMs), whole, name);
      }
    }
  }
});

test('resting engine: whatever writes to the engine needs it whole', () => {
  const free = (actions: readonly EngineAction[]): string[] =>
    actions.filter((action) => !needsWholeEngine(action)).map(({ type }) => type);
  assert.deepEqual(
    free([
      { type: 'wait', ms: 1, why: '' },
      { type: 'deleteEnginePods', pods: [] },
      { type: 'removeRecoveries' },
      { type: 'removeFinalizer' },
      { type: 'deleteChildren', phase: 'chaos stop', gracePeriodSeconds: 1 },
      { type: 'forceDelete', phase: 'chaos stop', pods: [], unresponsive: false },
    ]),
    ['wait', 'deleteEnginePods', 'removeRecoveries'],
  );
});
