import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, ContainerStatus, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import type { PodFact } from '../engine/change.ts';
import { podFact } from './pod-fact.ts';

const FROM = '2026-01-01T00:00:00Z';

function pod(
  status: PodStatus,
  containers: Container[] = [{ name: 'main' }],
  initContainers: Container[] = [],
): Pod {
  return { metadata: { name: 'p' }, spec: { nodeName: 'host-1', containers, initContainers }, status };
}

function state(name: string, value: ContainerStatus['state'], ready = false): ContainerStatus {
  return { name, image: '', imageID: '', ready, restartCount: 0, state: value };
}

function ended(name: string, exitCode: number, seconds: number): ContainerStatus {
  const finishedAt = new Date(Date.parse(FROM) + seconds * 1000).toISOString();
  return state(name, {
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: FROM, finishedAt },
  });
}

const CASES: readonly [name: string, pod: Pod, expected: Partial<PodFact>][] = [
  [
    'a new pod',
    { metadata: { name: 'p' } },
    { phase: 'Pending', name: 'p', containers: [], host: undefined },
  ],
  ['a phase that is not known', pod({ phase: 'Odd' }), { phase: 'Unknown' }],
  [
    'unschedulable',
    pod({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }],
    }),
    { unschedulable: '0/1 nodes' },
  ],
  [
    'unschedulable without a text',
    pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }),
    { unschedulable: '' },
  ],
  [
    'scheduled',
    pod({ conditions: [{ type: 'PodScheduled', status: 'True' }] }),
    { unschedulable: undefined },
  ],
  [
    'waiting',
    pod({
      phase: 'Pending',
      containerStatuses: [state('main', { waiting: { reason: 'ErrImagePull', message: 'no' } })],
    }),
    {
      containers: [
        {
          name: 'main',
          role: 'main',
          ready: false,
          state: { kind: 'waiting', reason: 'ErrImagePull', message: 'no' },
        },
      ],
    },
  ],
  [
    'without a state',
    pod({ phase: 'Pending', containerStatuses: [state('main', undefined)] }),
    {
      containers: [
        {
          name: 'main',
          role: 'main',
          ready: false,
          state: { kind: 'waiting', reason: undefined, message: undefined },
        },
      ],
    },
  ],
  [
    'running and ready',
    pod({ phase: 'Running', podIP: '10.0.0.1', containerStatuses: [state('main', { running: {} }, true)] }),
    {
      phase: 'Running',
      ip: '10.0.0.1',
      host: 'host-1',
      containers: [{ name: 'main', role: 'main', ready: true, state: { kind: 'running' } }],
      resourcesDuration: undefined,
    },
  ],
  [
    'a reason of the kubelet',
    pod({ phase: 'Failed', message: 'Pod was active', reason: 'DeadlineExceeded' }),
    { phase: 'Failed', message: 'Pod was active' },
  ],
  [
    'the container that ended last',
    pod({ phase: 'Succeeded', containerStatuses: [ended('wait', 0, 12), ended('main', 0, 10)] }, [
      { name: 'wait' },
      { name: 'main' },
    ]),
    { finishedAt: Date.parse(FROM) + 12_000 },
  ],
];

test('pods', () => {
  for (const [name, observed, expected] of CASES) {
    const fact = podFact(observed);
    const seen = Object.fromEntries(Object.keys(expected).map((key) => [key, fact[key as keyof PodFact]]));
    assert.deepEqual(seen, expected, name);
  }
});

test('what containers are for', () => {
  const names = (list: string[]): Container[] => list.map((name) => ({ name }));
  const roles = (containers: string[], inits: Container[]): string[] =>
    podFact(
      pod(
        {
          containerStatuses: containers.map((name) => state(name, { running: {} })),
          initContainerStatuses: inits.map(({ name }) => state(name, { running: {} })),
        },
        names(containers),
        inits,
      ),
    ).containers.map(({ name, role }) => `${name} ${role}`);
  const native: Container & { restartPolicy: string } = { name: 'native', restartPolicy: 'Always' };
  assert.deepEqual(roles(['wait', 'main', 's'], [...names(['init', 'mine']), native]), [
    'init init',
    'mine userInit',
    'native sidecar',
    'wait wait',
    'main main',
    's sidecar',
  ]);
  assert.deepEqual(roles(['a', 'b'], []), ['a main', 'b main']);
});

test('resources are counted by their requests, by limits where there are none, in units of a base', () => {
  const containers: Container[] = [
    {
      name: 'main',
      resources: { requests: { cpu: '2' }, limits: { cpu: '4', memory: '1Gi', 'nvidia.com/gpu': '1' } },
    },
    { name: 'side' },
    { name: 'never' },
  ];
  const statuses = [ended('main', 0, 10), ended('side', 1, 25), state('never', { waiting: {} })];
  const of = (phase: string): PodFact['resourcesDuration'] =>
    podFact(pod({ phase, containerStatuses: statuses }, containers)).resourcesDuration;
  // main: 10 s × 2 cpu, × 1024/100 memory, × 1 GPU; side: 25 s × 0.1 cpu, × 1 memory; whole seconds of each.
  assert.deepEqual(of('Failed'), { cpu: 20 + 2, memory: 102 + 25, 'nvidia.com/gpu': 10 });
  assert.equal(of('Running'), undefined);
});
