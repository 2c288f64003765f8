import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, Execution } from '../../api/index.ts';
import { planRunOrder } from './run-order.ts';

const SECONDS: Readonly<Record<string, number>> = { a: 10, b: 20, c: 5 };

function order(execution: Execution, dependsOn: Readonly<Record<string, string[]>> = {}): string {
  const experiments = ['a', 'b', 'c'].map((name) => ({
    name,
    ...(dependsOn[name] === undefined ? {} : { dependsOn: dependsOn[name] }),
  }));
  const engine: Pick<ChaosEngine, 'spec'> = { spec: { experiments, execution } };
  const { steps, expectedSeconds } = planRunOrder(engine, (name) => SECONDS[name] ?? 0);
  const list = steps.map(
    ({ experiment, iteration, startsAtSeconds }) =>
      `${experiment}${iteration > 1 ? `(${iteration})` : ''}@${startsAtSeconds}`,
  );
  return `${list.join(' ')} = ${expectedSeconds}`;
}

test('when each experiment would start, and how long all take', async (t) => {
  const cases: [string, string, string][] = [
    ['one after the other', order({}), 'a@0 b@10 c@30 = 35'],
    ['all at once', order({ order: 'parallel' }), 'a@0 b@0 c@0 = 20'],
    ['two at a time', order({ order: 'parallel', maxParallel: 2 }), 'a@0 b@0 c@10 = 20'],
    ['after another', order({ order: 'parallel' }, { c: ['b'] }), 'a@0 b@0 c@20 = 25'],
    ['before one that stands earlier', order({}, { a: ['c'] }), 'b@0 c@20 a@25 = 35'],
    ['twice', order({ order: 'parallel', iterations: 2 }), 'a@0 b@0 c@0 a(2)@20 b(2)@20 c(2)@20 = 40'],
    [
      'twice, with a least interval',
      order({ order: 'parallel', iterations: 2, minInterval: '1m' }),
      'a@0 b@0 c@0 a(2)@60 b(2)@60 c(2)@60 = 80',
    ],
    ['a failure that would stop the rest', order({ onFailure: 'stop' }), 'a@0 b@10 c@30 = 35'],
  ];
  for (const [name, found, expected] of cases) await t.test(name, () => assert.equal(found, expected));
});

test('a random order is fixed by its seed only', () => {
  const plan = (execution: Execution) =>
    planRunOrder({ spec: { experiments: [{ name: 'a' }, { name: 'b' }], execution } }, () => 1);
  assert.equal(plan({ order: 'random' }).isFixed, false);
  assert.equal(plan({ order: 'random', seed: 7 }).isFixed, true);
  assert.deepEqual(plan({ order: 'random', seed: 7 }), plan({ order: 'random', seed: 7 }));
  assert.equal(plan({}).isFixed, true);
});

test('an engine without experiments takes no time', () => {
  assert.deepEqual(planRunOrder({ spec: { experiments: [] } }, () => 1).expectedSeconds, 0);
});
