import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, ObjectMeta, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import type { ChaosEngine } from '../../../api/index.ts';
import { observeEngine, observeRunner } from './observed.ts';
import { slimPod } from './slim-objects.ts';

const NOW = { nowMs: 0, problems: [], isFresh: true };
const ENGINE: ChaosEngine = {
  metadata: { name: 'e', namespace: 'n', uid: 'u1' },
  spec: { experiments: [] },
  status: { engineStatus: 'initialized', runId: 'r1' },
};

function runner(status: PodStatus, metadata: Partial<ObjectMeta> = {}): Pod {
  const owner = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    name: 'e',
    uid: 'u1',
    controller: true,
  };
  return { metadata: { name: 'e-runner', namespace: 'n', ownerReferences: [owner], ...metadata }, status };
}

function container(state: ContainerStatus['state'], rest: Partial<ContainerStatus> = {}): PodStatus {
  const status = { name: 'chaos-runner', image: 'i', imageID: '', ready: false, restartCount: 0, ...rest };
  return { phase: 'Running', containerStatuses: [{ ...status, ...(state === undefined ? {} : { state }) }] };
}

const GOING = { deletionTimestamp: '2026-01-01T00:00:30Z' };
const failed = { terminated: { exitCode: 1, reason: 'Error', message: 'no luck\n' } };

const TABLE: readonly [name: string, pod: Pod | undefined, expected: object][] = [
  ['absent', undefined, { kind: 'absent' }],
  ['without owner', runner({}, { ownerReferences: [] }), { kind: 'foreign' }],
  [
    'of an engine of the same name that is gone',
    runner(
      {},
      { ownerReferences: [{ apiVersion: 'v', kind: 'ChaosEngine', name: 'e', uid: 'u0', controller: true }] },
    ),
    { kind: 'foreign' },
  ],
  [
    'of an earlier run',
    runner(container(undefined), { labels: { 'turnsole.io/run-id': 'r0' } }),
    { kind: 'leftover' },
  ],
  [
    'of this run',
    runner(container({ running: {} }), { labels: { 'turnsole.io/run-id': 'r1' } }),
    { kind: 'running', restarts: 0 },
  ],
  ['pending', runner({ phase: 'Pending' }), { kind: 'pending' }],
  [
    'completed',
    runner(container({ terminated: { exitCode: 0, reason: 'Completed' } })),
    { kind: 'completed' },
  ],
  [
    'completed and being deleted',
    runner(container({ terminated: { exitCode: 0, reason: 'Completed' } }), GOING),
    { kind: 'completed' },
  ],
  ['being deleted', runner(container({ running: {} }), GOING), { kind: 'terminating' }],
  [
    'evicted',
    runner({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
    { kind: 'failed', reason: 'Evicted: low on memory' },
  ],
  [
    'failed',
    runner({ ...container(failed), phase: 'Failed' }),
    { kind: 'failed', reason: 'Error with exit code 1: no luck' },
  ],
  ['failed without a word', runner({ phase: 'Failed' }), { kind: 'failed', reason: 'its pod failed' }],
  [
    'restarting in place',
    runner(container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 2, lastState: failed })),
    { kind: 'running', restarts: 2, lastExit: 'Error with exit code 1: no luck', isDown: true },
  ],
  [
    'running again after a failure',
    runner(container({ running: {} }, { restartCount: 2, lastState: failed })),
    { kind: 'running', restarts: 2, lastExit: 'Error with exit code 1: no luck' },
  ],
];

for (const [name, pod, expected] of TABLE) {
  test(`runner pod: ${name}`, () => assert.deepEqual(observeRunner(pod, ENGINE), expected));
}

test('children: the local copy of a pod tells whether it has ended as the pod itself does', () => {
  const exited = container({ terminated: { exitCode: 143, finishedAt: '2026-01-01T00:00:01Z' } });
  const going = { ...GOING, deletionGracePeriodSeconds: 30 };
  for (const [status, ended] of [
    [exited, true],
    [container({ running: {} }), false],
  ] as const) {
    const pod: Pod = {
      ...runner(status, going),
      spec: { restartPolicy: 'OnFailure', containers: [{ name: 'chaos-runner', image: 'i' }] },
    };
    for (const seen of [pod, slimPod(structuredClone(pod))]) {
      const world = { engine: ENGINE, runner: undefined, pods: [seen], jobs: [] };
      assert.deepEqual(
        observeEngine(world, NOW).children.map((child) => child.ended),
        [ended],
      );
    }
  }
});

test('children: pods and Jobs with what a decision needs', () => {
  const { children } = observeEngine(
    {
      engine: ENGINE,
      runner: undefined,
      pods: [
        {
          ...runner({ phase: 'Succeeded' }, { labels: { app: 'e' } }),
          spec: { containers: [], nodeName: 'node-1' },
        },
        { metadata: { name: 'x', ...GOING } },
      ],
      jobs: [{ metadata: { name: 'j' } }],
    },
    NOW,
  );
  assert.deepEqual(children, [
    { kind: 'Pod', name: 'e-runner', ended: true, isEnginePod: true, node: 'node-1' },
    {
      kind: 'Pod',
      name: 'x',
      ended: false,
      isEnginePod: false,
      goneByMs: Date.parse(GOING.deletionTimestamp),
    },
    { kind: 'Job', name: 'j', ended: false, isEnginePod: false },
  ]);
});
