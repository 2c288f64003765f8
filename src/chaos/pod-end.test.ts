import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, ObjectMeta, Pod } from '@turnsole/kube/kinds/core';
import { podHasEnded } from './pod-end.ts';

type ContainerState = NonNullable<ContainerStatus['state']>;

/** Deleted at :10 with 30 s of grace. */
const GOING = { deletionTimestamp: '2026-01-01T00:00:40Z', deletionGracePeriodSeconds: 30 };
const FORCED = { deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 0 };
const ended = (second: number): ContainerState => ({
  terminated: { exitCode: 143, finishedAt: `2026-01-01T00:00:${second}Z` },
});
const untimed: ContainerState = { terminated: { exitCode: 0 } };
const runs: ContainerState = { running: {} };
const waits: ContainerState = { waiting: { reason: 'CrashLoopBackOff' } };
type Policy = NonNullable<NonNullable<Pod['spec']>['restartPolicy']>;

const lost = { exitCode: 137, reason: 'ContainerStatusUnknown' };

const TABLE: readonly [
  name: string,
  expected: boolean,
  pod: {
    metadata?: Partial<ObjectMeta>;
    phase?: string;
    policy?: Policy;
    states?: ContainerState[];
    last?: ContainerState;
  },
][] = [
  ['succeeded', true, { phase: 'Succeeded', states: [ended(5), ended(5)] }],
  ['failed', true, { phase: 'Failed', states: [ended(5), ended(5)] }],
  ['at work', false, { states: [runs, runs] }],
  ['ended between two starts', false, { states: [ended(5), ended(5)] }],
  ['deleted, at work', false, { metadata: GOING, states: [runs, runs] }],
  ['deleted, one container goes on', false, { metadata: GOING, states: [ended(11), runs] }],
  ['deleted, one container has no status', false, { metadata: GOING, states: [ended(11)] }],
  ['deleted, no container has a status', false, { metadata: GOING, states: [] }],
  ['deleted, a container is to be started again', false, { metadata: GOING, states: [ended(11), waits] }],
  ['deleted, all ended after that', true, { metadata: GOING, states: [ended(11), ended(39)] }],
  ['deleted, all ended in the same second', true, { metadata: GOING, states: [ended(10), ended(10)] }],
  ['deleted, one ended before and may run again', false, { metadata: GOING, states: [ended(11), ended(9)] }],
  [
    'deleted, one ended before and is never restarted',
    true,
    { metadata: GOING, policy: 'Never', states: [ended(11), ended(9)] },
  ],
  [
    'deleted, a never restarted one goes on',
    false,
    { metadata: GOING, policy: 'Never', states: [ended(11), runs] },
  ],
  [
    'deleted, its containers are removed',
    true,
    { metadata: GOING, states: [waits, ended(11)], last: { terminated: lost } },
  ],
  ['deleted, a container is made for the first time', false, { metadata: GOING, states: [waits, ended(11)] }],
  ['not deleted, a container is not found', false, { states: [waits, waits], last: { terminated: lost } }],
  [
    'deleted, one that was not found runs again',
    false,
    { metadata: GOING, states: [runs, runs], last: { terminated: lost } },
  ],
  ['deleted, let go by its kubelet', true, { metadata: GOING, states: [untimed, untimed] }],
  ['deleted by force, all ended after that', true, { metadata: FORCED, states: [ended(10), ended(12)] }],
  ['deleted by force, at work', false, { metadata: FORCED, states: [runs, ended(12)] }],
];

for (const [
  name,
  expected,
  { metadata = {}, phase = 'Running', policy = 'OnFailure', states = [], last },
] of TABLE) {
  test(`a pod that is ${name} has ${expected ? '' : 'not '}ended`, () => {
    const containerStatuses = states.map((state, index) => ({
      ...{ name: `c${index}`, image: 'i', imageID: '', ready: false, restartCount: 0 },
      state,
      ...(last === undefined ? {} : { lastState: last }),
    }));
    const pod: Pod = {
      metadata: { name: 'x', ...metadata },
      spec: { restartPolicy: policy, containers: [{ name: 'c0' }, { name: 'c1' }] },
      status: { phase, containerStatuses },
    };
    assert.equal(podHasEnded(pod), expected);
  });
}

test('a pod that is deleted has ended when its sidecars have: they end last', () => {
  const state = (name: string, of: ContainerState): ContainerStatus => ({
    ...{ name, image: '', imageID: '', ready: false, restartCount: 0 },
    state: of,
  });
  const pod = (sidecar: ContainerState, restartPolicy: Policy = 'Never'): Pod => ({
    metadata: { name: 'a', ...GOING },
    spec: {
      restartPolicy,
      initContainers: [{ name: 'prepare' }, { name: 'proxy', restartPolicy: 'Always' }],
      containers: [{ name: 'web' }],
    },
    status: {
      containerStatuses: [state('web', ended(11))],
      initContainerStatuses: [state('prepare', ended(5)), state('proxy', sidecar)],
    },
  });
  assert.equal(podHasEnded(pod(runs)), false);
  assert.equal(podHasEnded(pod(ended(12))), true);
  // It may have been started again since, whatever the policy of the pod.
  assert.equal(podHasEnded(pod(ended(9))), false);
});
