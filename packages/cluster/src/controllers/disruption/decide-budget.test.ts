import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { PodDisruptionBudget } from '../shared/types.ts';
import { at, pod, START_MS } from '../testing/builders.ts';
import { decideBudget } from './decide-budget.ts';

function decide(
  spec: NonNullable<PodDisruptionBudget['spec']>,
  pods: readonly Pod[],
  scale: number | undefined,
  disruptedPods?: Record<string, string>,
) {
  const status =
    disruptedPods === undefined
      ? {}
      : {
          status: {
            disruptedPods,
            currentHealthy: 0,
            desiredHealthy: 0,
            disruptionsAllowed: 0,
            expectedPods: 0,
          },
        };
  const budget: PodDisruptionBudget = { metadata: { name: 'b', generation: 2 }, spec, ...status };
  return decideBudget({
    budget,
    pods,
    scales: new Map([['owner', scale]]),
    scaleOf: () => (scale === undefined ? undefined : 'owner'),
    nowMs: START_MS,
  });
}

describe('how many pods may be disrupted', () => {
  const three = ['a', 'b', 'c'].map((name) => pod(name));
  const oneBroken = [...three.slice(1), pod('a', { ready: false })];
  const table: readonly (readonly [
    string,
    NonNullable<PodDisruptionBudget['spec']>,
    readonly Pod[],
    number | undefined,
    number,
  ])[] = [
    ['at least two of three', { minAvailable: 2 }, three, 3, 1],
    ['at least two, one broken', { minAvailable: 2 }, oneBroken, 3, 0],
    ['at least half of three', { minAvailable: '50%' }, three, 3, 1],
    ['at most one of three', { maxUnavailable: 1 }, three, 3, 1],
    ['at most one, one broken', { maxUnavailable: 1 }, oneBroken, 3, 0],
    ['at most half', { maxUnavailable: '50%' }, three, 3, 2],
    ['at most one of more than there are', { maxUnavailable: 1 }, three, 5, 0],
    [
      'one that goes is not healthy',
      { minAvailable: 1 },
      [three[0] ?? pod('x'), pod('d', { deleted: at(1) })],
      2,
      0,
    ],
    ['of no pods', { minAvailable: 0 }, [], 0, 0],
    ['a share of pods without owner', { maxUnavailable: 1 }, three, undefined, 0],
  ];
  for (const [name, spec, pods, scale, allowed] of table) {
    test(name, () => assert.equal(decide(spec, pods, scale).disruptionsAllowed, allowed));
  }

  test('an eviction that was allowed counts until the pod is gone or it took too long', () => {
    const spec = { minAvailable: 1 };
    assert.equal(decide(spec, three, 3, { a: at(-10) }).disruptionsAllowed, 1);
    assert.deepEqual(decide(spec, three, 3, { a: at(-10) }).disruptedPods, { a: at(-10) });
    assert.equal(decide(spec, three, 3, { a: at(-121) }).disruptionsAllowed, 2);
    assert.equal(decide(spec, three, 3, { z: at(-10) }).disruptedPods, undefined);
  });

  test('sets the condition of the budget', () => {
    const condition = decide({ minAvailable: 2 }, three, 3).conditions?.[0];
    assert.deepEqual(
      [condition?.type, condition?.status, condition?.reason],
      ['DisruptionAllowed', 'True', 'SufficientPods'],
    );
    const unknown = decide({ maxUnavailable: 1 }, three, undefined).conditions?.[0];
    assert.deepEqual([unknown?.status, unknown?.reason], ['False', 'SyncFailed']);
  });
});
