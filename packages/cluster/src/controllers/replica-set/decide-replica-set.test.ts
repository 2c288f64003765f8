import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { orderForDeletion } from '../shared/deletion-order.ts';
import { at, pod, replicaSet, START_MS } from '../testing/builders.ts';
import { decideReplicaSetScaling, replicaSetStatus } from './decide-replica-set.ts';

const NOW_MS = START_MS + 3_600_000;

function scaling(replicas: number, pods: readonly Pod[]) {
  const observed = { replicaSet: replicaSet('web', replicas), pods, siblings: pods, nowMs: NOW_MS };
  const { create, delete: doomed } = decideReplicaSetScaling(observed);
  return { create, delete: doomed.map((one) => one.metadata.name) };
}

describe('scaling', () => {
  const ready = ['a', 'b', 'c'].map((name) => pod(name));
  const table: readonly (readonly [string, number, readonly Pod[], { create: number; delete: string[] }])[] =
    [
      ['nothing there: all are created', 3, [], { create: 3, delete: [] }],
      ['enough there: nothing', 3, ready, { create: 0, delete: [] }],
      [
        'terminating pods are replaced at once',
        3,
        [...ready.slice(1), pod('x', { deleted: at(5) })],
        { create: 1, delete: [] },
      ],
      [
        'finished pods do not count',
        3,
        [...ready.slice(1), pod('x', { phase: 'Failed' })],
        { create: 1, delete: [] },
      ],
      ['too many: one goes', 2, ready, { create: 0, delete: ['a'] }],
      ['to nothing', 0, ready, { create: 0, delete: ['a', 'b', 'c'] }],
      ['a huge set is made in parts', 1000, [], { create: 500, delete: [] }],
    ];
  for (const [name, replicas, pods, expected] of table) {
    test(name, () => assert.deepEqual(scaling(replicas, pods), expected));
  }

  test('a set that is going does nothing', () => {
    const going = replicaSet('web', 3, { metadata: { deletionTimestamp: at(1) } });
    const plan = decideReplicaSetScaling({ replicaSet: going, pods: [], siblings: [], nowMs: NOW_MS });
    assert.equal(plan.create, 0);
  });
});

describe('which pod goes first', () => {
  const table: readonly (readonly [string, Pod, Pod])[] = [
    ['unassigned before assigned', pod('z', {}), pod('a', { node: 'n1' })],
    [
      'pending before running',
      pod('z', { node: 'n', phase: 'Pending' }),
      pod('a', { node: 'n', ready: false }),
    ],
    ['not ready before ready', pod('z', { node: 'n', ready: false }), pod('a', { node: 'n' })],
    [
      'cheap before dear',
      pod('z', { node: 'n', annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } }),
      pod('a', { node: 'n' }),
    ],
    ['ready since shortly before long', pod('z', { node: 'n', readyAt: at(3500) }), pod('a', { node: 'n' })],
    [
      'often restarted before seldom',
      pod('z', { node: 'n', restarts: 3 }),
      pod('a', { node: 'n', restarts: 1 }),
    ],
    [
      'young before old',
      pod('z', { node: 'n', readyAt: at(3000), created: at(3500) }),
      pod('a', { node: 'n', readyAt: at(3000), created: at(0) }),
    ],
  ];
  for (const [name, first, second] of table) {
    test(name, () => {
      const order = orderForDeletion([second, first], [second, first], NOW_MS);
      assert.deepEqual(
        order.map((one) => one.metadata.name),
        [first.metadata.name, second.metadata.name],
      );
    });
  }

  test('from the node that holds most siblings', () => {
    const crowd = [pod('a', { node: 'n1' }), pod('b', { node: 'n2' }), pod('c', { node: 'n2' })];
    const order = orderForDeletion(crowd, crowd, NOW_MS);
    assert.deepEqual(
      order.map((one) => one.metadata.name),
      ['b', 'c', 'a'],
    );
  });
});

describe('status', () => {
  test('counts pods by their readiness and availability', () => {
    const set = replicaSet('web', 4, { metadata: { generation: 7 }, spec: { minReadySeconds: 10 } });
    const labels = { app: 'web' };
    const pods = [
      pod('a', { labels }),
      pod('b', { labels, readyAt: at(3595) }),
      pod('c', { ready: false }),
      pod('d', { deleted: at(1) }),
    ];
    assert.deepEqual(replicaSetStatus({ replicaSet: set, pods, nowMs: NOW_MS }, undefined), {
      status: {
        replicas: 3,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 1,
        terminatingReplicas: 1,
        observedGeneration: 7,
      },
      requeueAfterMs: 5000,
    });
  });

  test('says since when pods cannot be created, until they can', () => {
    const set = replicaSet('web', 1);
    const failure = { reason: 'FailedCreate', message: 'forbidden' } as const;
    const failed = replicaSetStatus({ replicaSet: set, pods: [], nowMs: START_MS }, failure).status;
    assert.deepEqual(failed.conditions, [
      { type: 'ReplicaFailure', status: 'True', ...failure, lastTransitionTime: at(0) },
    ]);
    const again = replicaSetStatus(
      { replicaSet: { ...set, status: failed }, pods: [], nowMs: NOW_MS },
      failure,
    );
    assert.deepEqual(again.status.conditions, failed.conditions);
    const fine = replicaSetStatus(
      { replicaSet: { ...set, status: failed }, pods: [], nowMs: NOW_MS },
      undefined,
    );
    assert.equal(fine.status.conditions, undefined);
  });
});
