/** Tables of the runner's pure decisions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosResult, TimelineEntry } from '../../api/index.ts';
import { TIMELINE_LIMIT } from '../../api/index.ts';
import { statusPatch } from './engine-status.ts';
import { observeExperimentPod } from './experiment-pod.ts';
import { judgeExperiment } from './judge.ts';
import { initialEntries } from './run-engine.ts';
import { RunnerSettingsError, readRunnerSettings } from './settings.ts';

function pod(status: PodStatus, name = 'job-x'): Pod {
  return { metadata: { name }, status };
}
function main(state: ContainerStatus['state'], name = 'job'): PodStatus {
  const side = {
    name: 'side',
    image: 'i',
    imageID: '',
    ready: true,
    restartCount: 0,
    state: { running: {} },
  };
  return {
    phase: 'Running',
    containerStatuses: [
      side,
      { name, image: 'i', imageID: '', ready: false, restartCount: 0, state: state ?? {} },
    ],
  };
}

const STATES: readonly [name: string, pods: Pod[], sawPod: boolean, expected: object][] = [
  ['none yet', [], false, { kind: 'absent' }],
  ['none any more', [], true, { kind: 'gone' }],
  ['scheduled', [pod({ phase: 'Pending' })], true, { kind: 'starting', pod: 'job-x' }],
  ['running', [pod(main({ running: {} }))], true, { kind: 'running', pod: 'job-x' }],
  [
    'ended while a sidecar runs',
    [pod(main({ terminated: { exitCode: 0 } }))],
    true,
    { kind: 'ended', pod: 'job-x' },
  ],
  [
    'killed',
    [pod(main({ terminated: { exitCode: 137, reason: 'OOMKilled' } }))],
    true,
    { kind: 'ended', pod: 'job-x', detail: 'its container ended with OOMKilled (exit code 137)' },
  ],
  [
    'ended by itself: with the last line that it printed',
    [
      pod(
        main({ terminated: { exitCode: 2, reason: 'Error', message: 'begin\nerror: unknown option -c\n' } }),
      ),
    ],
    true,
    {
      kind: 'ended',
      pod: 'job-x',
      detail: 'its container ended with Error (exit code 2): error: unknown option -c',
    },
  ],
  [
    'evicted',
    [pod({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' })],
    true,
    { kind: 'ended', pod: 'job-x', detail: 'its pod failed (Evicted: low on memory)' },
  ],
  [
    'image missing',
    [pod({ ...main({ waiting: { reason: 'ErrImagePull', message: 'no' } }), phase: 'Pending' })],
    true,
    {
      kind: 'starting',
      pod: 'job-x',
      problem: {
        reason: 'ImagePullFailed',
        message: 'container job of pod job-x (image i) is waiting with ErrImagePull: no',
      },
    },
  ],
];

for (const [name, pods, sawPod, expected] of STATES) {
  test(`experiment pod: ${name}`, () => {
    assert.deepEqual(observeExperimentPod(pods, 'job', sawPod), expected);
  });
}

const RUN = { resultName: 'e-x', engineUid: 'u1', runId: 'r1' };
function result(
  phase: string,
  verdict: string,
  labels: Record<string, string>,
  reason?: string,
): ChaosResult {
  const errorOutput = reason === undefined ? {} : { errorOutput: { reason } };
  // Phases and verdicts below are words of the vocabulary.
  const experimentStatus = { phase, verdict, ...errorOutput } as NonNullable<
    ChaosResult['status']
  >['experimentStatus'];
  return { metadata: { name: 'e-x', labels }, status: { ...(experimentStatus ? { experimentStatus } : {}) } };
}
const OURS = { 'turnsole.io/run-id': 'r1' };

const JUDGEMENTS: readonly [name: string, result: ChaosResult | undefined, expected: object][] = [
  ['pass', result('Completed', 'Pass', OURS), { verdict: 'Pass', unfinished: false }],
  ['fail', result('Completed_With_Probe_Failure', 'Fail', OURS), { verdict: 'Fail', unfinished: false }],
  [
    'error with its reason',
    result('Error', 'Error', OURS, 'no target'),
    { verdict: 'Error', reason: 'no target', unfinished: false },
  ],
  [
    'of an image that knows no runs',
    result('Completed', 'Pass', { chaosUID: 'u1' }),
    { verdict: 'Pass', unfinished: false },
  ],
  [
    'missing',
    undefined,
    {
      verdict: 'Error',
      reason: 'the experiment pod ended without a ChaosResult e-x of this run; killed',
      unfinished: false,
    },
  ],
  [
    'of an earlier run',
    result('Completed', 'Pass', { 'turnsole.io/run-id': 'r0', chaosUID: 'u1' }),
    {
      verdict: 'Error',
      reason: 'the experiment pod ended without a ChaosResult e-x of this run; killed',
      unfinished: false,
    },
  ],
  [
    'unfinished',
    result('Running', 'Awaited', OURS),
    {
      verdict: 'Error',
      reason: 'the experiment pod ended before it stored a verdict in ChaosResult e-x; killed',
      unfinished: true,
    },
  ],
];

for (const [name, given, expected] of JUDGEMENTS) {
  test(`verdict: ${name}`, () => {
    assert.deepEqual(judgeExperiment(given, RUN, 'killed'), expected);
  });
}

function engine(status: ChaosEngine['status']): ChaosEngine {
  return {
    metadata: { name: 'e', namespace: 'n' },
    spec: { engineState: 'active', experiments: [{ name: 'a' }, { name: 'b' }] },
    ...(status === undefined ? {} : { status }),
  };
}
const line = (step: string): TimelineEntry => ({ time: 't', actor: 'runner', step, message: 'm' });

test('status patch: tests the run, replaces entries, appends lines', () => {
  const given = engine({ engineStatus: 'initialized', runId: 'r1', timeline: [line('A')] });
  assert.deepEqual(statusPatch(given, [], [line('B'), line('C')], 'r1'), [
    { op: 'test', path: '/status/engineStatus', value: 'initialized' },
    { op: 'test', path: '/status/runId', value: 'r1' },
    { op: 'test', path: '/spec/engineState', value: 'active' },
    { op: 'add', path: '/status/experiments', value: [] },
    { op: 'add', path: '/status/timeline/-', value: line('B') },
    { op: 'add', path: '/status/timeline/-', value: line('C') },
  ]);
});

test('status patch: says that all of the run has been started', () => {
  const given = engine({ timeline: [] });
  assert.deepEqual(statusPatch(given, undefined, [], 'r1', 'r1').at(-1), {
    op: 'add',
    path: '/status/allStarted',
    value: 'r1',
  });
});

test('status patch: makes what is not there, and keeps the timeline within its limit', () => {
  assert.deepEqual(statusPatch(engine(undefined), [], [line('B')], undefined), [
    { op: 'add', path: '/status', value: {} },
    { op: 'add', path: '/status/experiments', value: [] },
    { op: 'add', path: '/status/timeline', value: [line('B')] },
  ]);
  const full = Array.from({ length: TIMELINE_LIMIT - 1 }, () => line('A'));
  const patch = statusPatch(engine({ timeline: full }), undefined, [line('B'), line('C')], undefined);
  assert.deepEqual(
    patch.filter(({ op }) => op !== 'test').map(({ op, path }) => `${op} ${path}`),
    ['remove /status/timeline/0', 'add /status/timeline/-', 'add /status/timeline/-'],
  );
});

test('entries: those of this run are taken over, others begin anew', () => {
  const items = ['a', 'b'].map((name, position) => ({ name, position, iteration: 1 }));
  const waiting = {
    runner: 'e-runner',
    experimentPod: 'Yet to be launched',
    status: 'Waiting for Job Creation',
    verdict: 'N/A',
  };
  assert.deepEqual(initialEntries(engine(undefined), items), [
    { name: 'a', ...waiting },
    { name: 'b', ...waiting },
  ]);
  const present = initialEntries(engine(undefined), items).map((entry) => ({
    ...entry,
    experimentPod: 'p',
  }));
  assert.deepEqual(initialEntries(engine({ experiments: present }), items), present);
  assert.equal(
    initialEntries(engine({ experiments: present.slice(1) }), items)[0]?.experimentPod,
    'Yet to be launched',
  );
});

for (const variable of ['CHAOSENGINE', 'CHAOS_NAMESPACE', 'EXPERIMENT_LIST']) {
  test(`settings: ${variable} is required`, () => {
    const env = { CHAOSENGINE: 'e', CHAOS_NAMESPACE: 'n', EXPERIMENT_LIST: 'a', [variable]: ' ' };
    assert.throws(
      () => readRunnerSettings(env),
      (error) => error instanceof RunnerSettingsError && error.variable === variable,
    );
  });
}
