import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InjectionTarget } from '../../api/index.ts';
import { overlaps } from './overlaps.ts';
import type { RunOrder } from './run-order.ts';

const pod = (name: string): InjectionTarget => ({ kind: 'pod', namespace: 'shop', name });
const orderOf = (...steps: readonly [name: string, from: number, takes: number][]): RunOrder => ({
  order: 'parallel',
  isFixed: true,
  expectedSeconds: 0,
  steps: steps.map(([experiment, startsAtSeconds, takesSeconds]) => ({
    experiment,
    iteration: 1,
    startsAtSeconds,
    takesSeconds,
  })),
});
const plansOf = (targets: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(targets).map(([experiment, names]) => ({ experiment, targets: names.map(pod) }));

test('experiments of an engine that meet on a target', async (t) => {
  const both = plansOf({ a: ['web-1', 'web-2'], b: ['web-2', 'web-3'] });
  const text = 'a and b would hit pod/shop/web-2 at the same time';
  const cases: [string, string[], string[]][] = [
    ['at once', overlaps(orderOf(['a', 0, 10], ['b', 0, 10]), both), [text]],
    ['while the other goes on', overlaps(orderOf(['a', 0, 10], ['b', 9, 10]), both), [text]],
    ['one after the other', overlaps(orderOf(['a', 0, 10], ['b', 10, 10]), both), []],
    [
      'at once, on other targets',
      overlaps(orderOf(['a', 0, 9], ['b', 0, 9]), plansOf({ a: ['x'], b: ['y'] })),
      [],
    ],
    [
      'again in each iteration: told once',
      overlaps(orderOf(['a', 0, 5], ['b', 0, 5], ['a', 5, 5], ['b', 5, 5]), both),
      [text],
    ],
  ];
  for (const [name, found, expected] of cases) await t.test(name, () => assert.deepEqual(found, expected));
});
