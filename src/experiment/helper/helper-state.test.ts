import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { endOf, hasEnded, hasStarted, isLost, lostAt, phaseOf } from './helper-state.ts';

const container = (name: string, state: ContainerStatus['state'], ready = false): ContainerStatus => ({
  name,
  state,
  ready,
  image: 'i',
  imageID: '',
  restartCount: 0,
});
const ended = (exitCode: number) => ({ terminated: { exitCode } });
const pod = (status: PodStatus): Pod => ({ metadata: { name: 'h' }, status });

const PHASES: readonly [string, PodStatus, string][] = [
  ['nothing is known', {}, 'Pending'],
  ['it runs', { phase: 'Running', containerStatuses: [container('main', { running: {} })] }, 'Running'],
  ['it has ended', { phase: 'Succeeded', containerStatuses: [container('main', ended(0))] }, 'Succeeded'],
  [
    'it has ended and its sidecar goes on',
    {
      phase: 'Running',
      containerStatuses: [container('side', { running: {} }), container('main', ended(0))],
    },
    'Succeeded',
  ],
  [
    'it has failed and its sidecar goes on',
    {
      phase: 'Running',
      containerStatuses: [container('main', ended(1)), container('side', { running: {} })],
    },
    'Failed',
  ],
  [
    'its sidecar failed, it did not',
    { phase: 'Failed', containerStatuses: [container('main', ended(0)), container('side', ended(7))] },
    'Succeeded',
  ],
  [
    'its sidecar has ended, it runs',
    {
      phase: 'Running',
      containerStatuses: [container('main', { running: {} }), container('side', ended(0))],
    },
    'Running',
  ],
  ['it was evicted before it was started', { phase: 'Failed', reason: 'OutOfcpu' }, 'Failed'],
];

for (const [name, status, expected] of PHASES) {
  test(`helper state: ${name}`, () => {
    const one = pod(status);
    assert.equal(phaseOf(one, 'main'), expected);
    assert.equal(hasEnded(one, 'main'), expected === 'Succeeded' || expected === 'Failed');
    assert.equal(hasStarted(one, 'main'), expected !== 'Pending');
  });
}

test('helper state: the end of a sidecar is not its end', () => {
  const containerStatuses = [container('side', ended(7)), container('main', ended(3))];
  assert.equal(endOf(pod({ containerStatuses }), 'main')?.exitCode, 3);
  assert.equal(endOf(undefined, 'main'), undefined);
});

test('helper state: a pod that is not ready has lost its node only when the kubelet did not say so', () => {
  const containerStatuses = [container('main', { running: {} }, true)];
  const of = (ready: string, containersReady: string): boolean =>
    isLost(
      pod({
        phase: 'Running',
        containerStatuses,
        conditions: [
          { type: 'Ready', status: ready },
          { type: 'ContainersReady', status: containersReady },
        ],
      }),
    );
  assert.equal(of('False', 'True'), true, 'the node controller takes Ready, and nothing else');
  assert.equal(of('False', 'False'), false, 'a sidecar is not ready');
  assert.equal(of('True', 'True'), false);
  assert.equal(isLost(undefined), false);
});

const MS = Date.parse('2030-01-01T00:00:00Z');
const NOTED: readonly [string, string | undefined, number, number][] = [
  ['when the control plane noted it', '2030-01-01T00:00:10Z', MS + 14_000, MS + 11_000],
  ['now, where that was within this second', '2030-01-01T00:00:10Z', MS + 10_300, MS + 10_300],
  ['now, where that is not said', undefined, MS + 14_000, MS + 14_000],
  ['now, where its clock is fast', '2030-01-01T00:01:00Z', MS + 14_000, MS + 14_000],
  ['now, where its clock is slow', '2029-12-31T23:59:00Z', MS + 14_000, MS + 14_000],
];
for (const [name, lastTransitionTime, nowMs, expected] of NOTED) {
  test(`a helper is lost ${name}`, () => {
    const conditions = [
      { type: 'Ready', status: 'False', ...(lastTransitionTime !== undefined && { lastTransitionTime }) },
    ];
    assert.equal(lostAt(pod({ phase: 'Running', conditions }), MS, nowMs), expected);
  });
}
