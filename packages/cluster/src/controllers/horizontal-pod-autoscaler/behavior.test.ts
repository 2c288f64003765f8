import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviorOf, limit, type ScalingHistory, stabilize } from './behavior.ts';
import type { ScalingRules } from './types.ts';

const NOW = 1_000_000;

function ago(...changes: readonly (readonly [seconds: number, by: number])[]): ScalingHistory['changes'] {
  return changes.map(([seconds, by]) => ({ atMs: NOW - seconds * 1000, by }));
}

const rules = (
  policies: readonly (readonly ['Pods' | 'Percent', number, number])[],
  rest: Partial<ScalingRules> = {},
): ScalingRules => ({
  policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
  ...rest,
});

test('the pace is that of the policies', () => {
  const table: readonly {
    name: string;
    up?: ScalingRules;
    down?: ScalingRules;
    changes?: ScalingHistory['changes'];
    /** From, wanted, lowest, highest. */
    wish: readonly [number, number, number, number];
    to: number;
    reason: string;
  }[] = [
    { name: 'within the range', wish: [3, 5, 1, 10], to: 5, reason: 'DesiredWithinRange' },
    { name: 'four pods', wish: [1, 9, 1, 10], to: 5, reason: 'ScaleUpLimit' },
    { name: 'or twice as many, whichever is more', wish: [10, 100, 1, 100], to: 20, reason: 'ScaleUpLimit' },
    {
      name: 'counted from the beginning of the period',
      changes: ago([10, 4]),
      wish: [5, 9, 1, 10],
      to: 5,
      reason: 'ScaleUpLimit',
    },
    {
      name: 'and again after it',
      changes: ago([16, 4]),
      wish: [5, 9, 1, 20],
      to: 9,
      reason: 'DesiredWithinRange',
    },
    { name: 'the highest', wish: [4, 9, 1, 6], to: 6, reason: 'TooManyReplicas' },
    { name: 'already there', wish: [6, 9, 1, 6], to: 6, reason: 'TooManyReplicas' },
    { name: 'down to the lowest at once', wish: [80, 0, 2, 100], to: 2, reason: 'TooFewReplicas' },
    {
      // The example of the documentation: ten percent a minute, 80 pods.
      name: 'ten percent a minute',
      down: rules([['Percent', 10, 60]]),
      wish: [80, 10, 1, 100],
      to: 72,
      reason: 'ScaleDownLimit',
    },
    {
      name: 'the next minute',
      down: rules([['Percent', 10, 60]]),
      changes: ago([61, -8]),
      wish: [72, 10, 1, 100],
      to: 64,
      reason: 'ScaleDownLimit',
    },
    {
      name: 'five pods are more than ten percent of 40',
      down: rules([
        ['Pods', 5, 60],
        ['Percent', 10, 60],
      ]),
      wish: [40, 10, 1, 100],
      to: 35,
      reason: 'ScaleDownLimit',
    },
    {
      name: 'the least change',
      down: rules(
        [
          ['Pods', 5, 60],
          ['Percent', 10, 60],
        ],
        { selectPolicy: 'Min' },
      ),
      wish: [40, 10, 1, 100],
      to: 36,
      reason: 'ScaleDownLimit',
    },
    {
      name: 'the least change up',
      up: rules(
        [
          ['Pods', 4, 60],
          ['Percent', 10, 60],
        ],
        { selectPolicy: 'Min' },
      ),
      wish: [10, 50, 1, 100],
      to: 11,
      reason: 'ScaleUpLimit',
    },
    {
      name: 'never down',
      down: rules([['Percent', 100, 15]], { selectPolicy: 'Disabled' }),
      wish: [10, 1, 1, 100],
      to: 10,
      reason: 'ScaleDownLimit',
    },
    {
      name: 'what was taken in the period may come back',
      up: rules([['Pods', 1, 60]]),
      changes: ago([30, -3]),
      wish: [5, 20, 1, 100],
      to: 9,
      reason: 'ScaleUpLimit',
    },
    {
      name: 'more was added than the rules now allow',
      up: rules([['Pods', 1, 60]]),
      changes: ago([30, 3]),
      wish: [8, 20, 1, 100],
      to: 8,
      reason: 'ScaleUpLimit',
    },
    { name: 'nothing to do', wish: [3, 3, 1, 10], to: 3, reason: 'DesiredWithinRange' },
  ];
  for (const { name, up, down, changes = [], wish, to, reason } of table) {
    const [current, wanted, min, max] = wish;
    const behavior = behaviorOf({
      ...(up === undefined ? {} : { scaleUp: up }),
      ...(down === undefined ? {} : { scaleDown: down }),
    });
    const found = limit(behavior, { changes }, { current, wanted, min, max, nowMs: NOW });
    assert.deepEqual([found.replicas, found.reason], [to, reason], name);
  }
});

test('recent recommendations hold', () => {
  const seen = (...list: readonly (readonly [seconds: number, replicas: number])[]) =>
    list.map(([seconds, replicas]) => ({ atMs: NOW - seconds * 1000, replicas }));
  const table: readonly {
    name: string;
    up?: number;
    down?: number;
    seen: ScalingHistory['recommendations'];
    current: number;
    wanted: number;
    to: number;
    reason: string;
  }[] = [
    { name: 'up at once', seen: seen([10, 2]), current: 2, wanted: 5, to: 5, reason: 'ReadyForNewScale' },
    {
      name: 'down after five minutes',
      seen: seen([299, 5]),
      current: 5,
      wanted: 2,
      to: 5,
      reason: 'ScaleDownStabilized',
    },
    { name: 'now', seen: seen([301, 5]), current: 5, wanted: 2, to: 2, reason: 'ReadyForNewScale' },
    {
      name: 'as far as the highest of them',
      seen: seen([400, 5], [100, 4], [50, 3]),
      current: 5,
      wanted: 2,
      to: 4,
      reason: 'ScaleDownStabilized',
    },
    {
      name: 'no window',
      down: 0,
      seen: seen([1, 5]),
      current: 5,
      wanted: 2,
      to: 2,
      reason: 'ReadyForNewScale',
    },
    {
      name: 'a window for up',
      up: 60,
      seen: seen([50, 3]),
      current: 2,
      wanted: 5,
      to: 3,
      reason: 'ScaleUpStabilized',
    },
    {
      name: 'both',
      up: 60,
      down: 60,
      seen: seen([50, 3], [40, 9]),
      current: 5,
      wanted: 6,
      to: 5,
      reason: 'ScaleUpStabilized',
    },
  ];
  for (const { name, up, down, seen: recommendations, current, wanted, to, reason } of table) {
    const window = (seconds: number | undefined): ScalingRules =>
      seconds === undefined ? {} : { stabilizationWindowSeconds: seconds };
    const behavior = behaviorOf({ scaleUp: window(up), scaleDown: window(down) });
    const found = stabilize(behavior, { recommendations }, { current, wanted, nowMs: NOW });
    assert.deepEqual([found.replicas, found.reason], [to, reason], name);
  }
});
