import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparableRuns, previousObject } from './previous-object.ts';

const object = (kind: string, name: string, createdAt: number, faults: string[] = []) => ({
  ...{ id: `${kind}/shop/${name}`, kind, namespace: 'shop', name, faults, createdAt: String(createdAt) },
});
const OBJECTS = [
  object('Workflow', 'night-1735689600', 10),
  object('Workflow', 'night-1735776000', 20),
  object('Workflow', 'day-1735776000', 25),
  object('ChaosEngine', 'quickstart', 30, ['pod-delete']),
  object('ChaosEngine', 'checkout', 40, ['pod-delete']),
  object('ChaosEngine', 'other', 45, ['node-drain']),
  object('ChaosSchedule', 'night', 5),
];

const PREVIOUS: readonly [name: string, run: ReturnType<typeof object>, id: string | undefined][] = [
  [
    'of a schedule: the one of the night before',
    object('Workflow', 'night-1735862400', 50),
    'Workflow/shop/night-1735776000',
  ],
  [
    'of another name with the same faults',
    object('ChaosEngine', 'canary', 50, ['pod-delete']),
    'ChaosEngine/shop/checkout',
  ],
  ['never a later one', object('ChaosEngine', 'canary', 35, ['pod-delete']), 'ChaosEngine/shop/quickstart'],
  ['never itself', object('ChaosEngine', 'quickstart', 30, ['pod-delete']), undefined],
  ['none of its kind', object('ChaosResult', 'x', 50), undefined],
  ['none that is like it', object('ChaosEngine', 'x', 50, ['pod-io-stress']), undefined],
];
for (const [name, run, id] of PREVIOUS) {
  test(`the run before: ${name}`, () => assert.equal(previousObject(OBJECTS, run)?.id, id));
}

test('runs are compared, and neither schedules nor what makes them', () => {
  assert.deepEqual(
    comparableRuns(OBJECTS).map(({ name }) => name),
    ['other', 'checkout', 'quickstart', 'day-1735776000', 'night-1735776000', 'night-1735689600'],
  );
});
