import assert from 'node:assert/strict';
import { test } from 'node:test';
import { container, exit, exited, NOW, pod, running } from '../testing/observed.ts';
import type { PodCondition } from './conditions.ts';
import type { ObservedContainer, ObservedPod } from './observed.ts';
import { podStatus } from './status.ts';

const init = { role: 'init' } as const;
const sidecar = { role: 'sidecar' } as const;
const never = { spec: { restartPolicy: 'Never' } };
const deletion = { deadlineMs: NOW, objectGone: false, requested: false };
const starting = { phase: 'starting' } as const;

const phases: [name: string, pod: ObservedPod, phase: string][] = [
  ['nothing started', pod([container('a')], { sandbox: { phase: 'none' } }), 'Pending'],
  ['starting', pod([container('a', starting)]), 'Pending'],
  ['running', pod([container('a', running())]), 'Running'],
  ['one of two waits for its first start', pod([container('a', running()), container('b')]), 'Pending'],
  ['one of two crashed', pod([container('a', running()), container('b', exited(1))]), 'Running'],
  ['init runs', pod([container('i', running(), init), container('a')]), 'Pending'],
  ['init failed for good', pod([container('i', exited(1), init), container('a')], never), 'Failed'],
  ['init failed, will run again', pod([container('i', exited(1), init), container('a')]), 'Pending'],
  ['all succeeded', pod([container('a', exited(0)), container('b', exited(0))], never), 'Succeeded'],
  ['one failed', pod([container('a', exited(0)), container('b', exited(3))], never), 'Failed'],
  [
    'ended, but a sidecar runs',
    pod([container('s', running(), sidecar), container('a', exited(0))], never),
    'Running',
  ],
  ['Always: ended, will run again', pod([container('a', exited(0))]), 'Running'],
  [
    'OnFailure: failed, will run again',
    pod([container('a', exited(1))], { spec: { restartPolicy: 'OnFailure' } }),
    'Running',
  ],
  ['being deleted, all ended well', pod([container('a', exited(0))], { deletion }), 'Succeeded'],
  ['being deleted, killed', pod([container('a', exited(137))], { deletion }), 'Failed'],
  ['being deleted, still running', pod([container('a', running())], { deletion }), 'Running'],
  [
    'past its deadline, its container is being stopped',
    pod([container('a', running())], {
      failure: { reason: 'DeadlineExceeded', message: 'm', deadlineMs: 0 },
    }),
    'Running',
  ],
  [
    'past its deadline, its container has ended',
    pod([container('a', exited(0))], {
      failure: { reason: 'DeadlineExceeded', message: 'm', deadlineMs: 0 },
    }),
    'Failed',
  ],
];

for (const [name, observed, phase] of phases) {
  test(`phase: ${name}`, () => assert.equal(podStatus(observed, '127.20.254.1', []).phase, phase));
}

const backoff = { delayMs: 80_000, updatedAtMs: NOW - 60_000 };
const problem = {
  kind: 'image',
  reason: 'ErrImagePull',
  message: 'no such image',
  atMs: NOW,
  retryAtMs: NOW + 10_000,
} as const;
const killed = { ...exit(137), signal: 9 };
const id = `turnsole://${'f'.repeat(64)}`;
const terminated = {
  exitCode: 1,
  reason: 'Error',
  startedAt: '2029-12-31T23:59:54Z',
  finishedAt: '2029-12-31T23:59:59Z',
  containerID: id,
};

const states: [name: string, pod: ObservedPod, status: object][] = [
  [
    'before its start',
    pod([container('a')]),
    { state: { waiting: { reason: 'ContainerCreating' } }, ready: false },
  ],
  [
    'before its start in a pod with init containers',
    pod([container('i', running(), init), container('a')]),
    { state: { waiting: { reason: 'PodInitializing' } } },
  ],
  [
    'running',
    pod([container('a', running(), { restarts: 2, imageID: 'a@sha256:1', last: killed })]),
    {
      state: { running: { startedAt: '2030-01-01T00:00:00Z' } },
      containerID: `turnsole://${'a'.repeat(64)}`,
      ready: true,
      started: true,
      restartCount: 2,
      imageID: 'a@sha256:1',
      image: 'example/a',
      lastState: {
        terminated: {
          exitCode: 137,
          reason: 'Error',
          startedAt: '2029-12-31T23:59:55Z',
          finishedAt: '2030-01-01T00:00:00Z',
          containerID: id,
        },
      },
    },
  ],
  ['running, not ready', pod([container('a', running({ ready: false }))]), { ready: false, started: true }],
  [
    'running, startup probe pending',
    pod([container('a', running({ started: false, ready: false }))]),
    { ready: false, started: false },
  ],
  ['ended for good', pod([container('a', exited(1, 1))], never), { state: { terminated }, containerID: id }],
  [
    'between its end and an immediate restart',
    pod([container('a', { phase: 'starting', previous: exit(1, 1) })]),
    { state: { terminated } },
  ],
  [
    'waiting for its back-off',
    pod([container('a', exited(1, 1), { backoff })]),
    {
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 1m20s restarting failed container=a pod=web_default(u1)',
        },
      },
      lastState: { terminated },
      containerID: id,
    },
  ],
  [
    'image missing',
    pod([container('a', undefined, { problem })]),
    { state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } }, imageID: '' },
  ],
  [
    'image missing for more than a second',
    pod([container('a', undefined, { problem: { ...problem, atMs: NOW - 1_000 } })]),
    {
      state: {
        waiting: {
          reason: 'ImagePullBackOff',
          message: 'Back-off pulling image "example/a": ErrImagePull: no such image',
        },
      },
    },
  ],
  [
    'a reference is missing',
    pod([
      container('a', undefined, {
        problem: { ...problem, kind: 'config', reason: 'CreateContainerConfigError', atMs: 0 },
      }),
    ]),
    { state: { waiting: { reason: 'CreateContainerConfigError', message: 'no such image' } } },
  ],
];

for (const [name, observed, expected] of states) {
  test(`container: ${name}`, () => {
    const status = podStatus(observed, '127.20.254.1', []).containerStatuses?.find(
      ({ name: n }) => n === 'a',
    );
    assert.partialDeepStrictEqual(status, expected);
  });
}

test('an init container is ready when it has succeeded', () => {
  const { initContainerStatuses } = podStatus(
    pod([container('i', exited(0), init), container('j', exited(1), init), container('a')]),
    '',
    [],
  );
  assert.deepEqual(
    initContainerStatuses?.map(({ ready }) => ready),
    [true, false],
  );
});

type Short = Record<string, string>;
/** Who binds a pod has said so. */
const SCHEDULED: PodCondition = { type: 'PodScheduled', status: 'True' };
const of = (observed: ObservedPod, present: PodCondition[] = []): Short =>
  Object.fromEntries(
    podStatus(observed, '', [SCHEDULED, ...present])
      .conditions.filter(({ type }) => type !== 'PodScheduled')
      .map(({ type, status, reason = '', message = '' }) => [
        type,
        [status, reason, message].filter(Boolean).join(' '),
      ]),
  );
const gate = { spec: { readinessGates: [{ conditionType: 'example/warm' }] } };
const ready: ObservedContainer = container('a', running());

const conditions: [name: string, observed: Short, expected: Short][] = [
  [
    'a new pod',
    of(pod([container('a')], { sandbox: { phase: 'making' } })),
    {
      PodReadyToStartContainers: 'False',
      Initialized: 'True',
      Ready: 'False ContainersNotReady containers with unready status: [a]',
      ContainersReady: 'False ContainersNotReady containers with unready status: [a]',
    },
  ],
  [
    'init containers pending',
    of(
      pod([
        container('i', running({ started: false }), init),
        container('j', undefined, init),
        container('a'),
      ]),
    ),
    {
      PodReadyToStartContainers: 'True',
      Initialized: 'False ContainersNotInitialized containers with incomplete status: [i j]',
      Ready: 'False ContainersNotReady containers with unready status: [a]',
      ContainersReady: 'False ContainersNotReady containers with unready status: [a]',
    },
  ],
  [
    'ready',
    of(pod([ready])),
    { PodReadyToStartContainers: 'True', Initialized: 'True', Ready: 'True', ContainersReady: 'True' },
  ],
  [
    'an unready sidecar counts',
    of(pod([container('s', running({ ready: false }), sidecar), ready])),
    {
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      Ready: 'False ContainersNotReady containers with unready status: [s]',
      ContainersReady: 'False ContainersNotReady containers with unready status: [s]',
    },
  ],
  [
    'finished',
    of(pod([container('a', exited(0))], { ...never, sandbox: { phase: 'removed', ip: '' } })),
    {
      PodReadyToStartContainers: 'False',
      Initialized: 'True PodCompleted',
      Ready: 'False PodCompleted',
      ContainersReady: 'False PodCompleted',
    },
  ],
  [
    'a readiness gate that is not set',
    of(pod([ready], gate)),
    {
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      Ready:
        'False ReadinessGatesNotReady corresponding condition of pod readiness gate "example/warm" does not exist.',
      ContainersReady: 'True',
    },
  ],
  [
    'a readiness gate that holds',
    of(pod([ready], gate), [{ type: 'example/warm', status: 'True' }]),
    { PodReadyToStartContainers: 'True', Initialized: 'True', Ready: 'True', ContainersReady: 'True' },
  ],
];

for (const [name, observed, expected] of conditions) {
  test(`conditions: ${name}`, () => assert.deepEqual(observed, expected));
}

test('a condition keeps its time while its status stays, and gets a new one when that changes', () => {
  const before = podStatus(pod([ready]), '', [SCHEDULED]).conditions;
  const later = { nowMs: NOW + 5_000 };
  const same = podStatus(pod([ready], later), '', before).conditions;
  assert.deepEqual(same, before);
  const worse = podStatus(pod([container('a', running({ ready: false }))], later), '', before).conditions;
  const times = Object.fromEntries(worse.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]));
  assert.equal(times.Ready, '2030-01-01T00:00:05Z');
  assert.equal(times.Initialized, '2030-01-01T00:00:00Z');
});

test('the condition PodScheduled keeps its time, and is there for a pod that was bound when it was made', () => {
  const scheduledOf = (...present: PodCondition[]): PodCondition | undefined =>
    podStatus(pod([ready], { generation: 3 }), '', present).conditions.find(
      ({ type }) => type === 'PodScheduled',
    );
  const scheduled = { ...SCHEDULED, observedGeneration: 3, lastTransitionTime: '2030-01-01T00:00:00Z' };
  assert.deepEqual(scheduledOf(), scheduled);
  const lastTransitionTime = '2029-12-31T23:59:00Z';
  assert.deepEqual(scheduledOf({ ...SCHEDULED, lastTransitionTime }), { ...scheduled, lastTransitionTime });
});

test('containers are shown by name', () => {
  const status = podStatus(pod([container('b', running()), container('a', running())]), '', []);
  assert.deepEqual(
    status.containerStatuses?.map(({ name }) => name),
    ['a', 'b'],
  );
});

test('ephemeral containers have a list of their own, and are never ready', () => {
  const shell = container('e', running(), { role: 'ephemeral' });
  const status = podStatus(pod([ready, shell]), '', []);
  assert.deepEqual(
    status.ephemeralContainerStatuses?.map(({ name, ready: isReady, state }) => [name, isReady, state]),
    [['e', false, { running: { startedAt: '2030-01-01T00:00:00Z' } }]],
  );
  assert.equal(status.initContainerStatuses, undefined);
  assert.equal(status.conditions.find(({ type }) => type === 'Ready')?.status, 'True');
});
