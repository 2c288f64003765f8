import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SloProbeInputs } from '../../api/schema/probe.ts';
import { type BudgetPoint, budgetDrop, evaluationWindow, reachesEnd } from './slo-budget.ts';

const MINUTE = 60_000;
const NOW = 1_800_000_030_000;

test('the time that is judged', () => {
  type Given = SloProbeInputs['evaluationWindow'];
  const table: readonly [string, Given, number | undefined, number, number][] = [
    ['before chaos: the last 15 minutes', undefined, undefined, NOW - 15 * MINUTE, NOW],
    ['since chaos began', undefined, NOW - 5000, NOW - 5000, NOW],
    ['as given', { evaluationStartTime: NOW - 10, evaluationEndTime: NOW - 5 }, NOW - 7, NOW - 10, NOW - 5],
    ['in seconds', { evaluationStartTime: 1_800_000_000 }, NOW - 7, 1_800_000_000_000, NOW],
    ['0 is absent', { evaluationStartTime: 0, evaluationEndTime: 0 }, NOW - 7, NOW - 7, NOW],
    ['only an end', { evaluationEndTime: NOW - 5 }, undefined, NOW - 5 - 15 * MINUTE, NOW - 5],
  ];
  for (const [name, given, chaosSinceMs, startMs, endMs] of table) {
    assert.deepEqual(evaluationWindow(given, NOW, chaosSinceMs), { startMs, endMs }, name);
  }
});

const points = (...list: [minute: number, percent: number][]): BudgetPoint[] =>
  list.map(([minute, percent]) => ({ timeMs: minute * MINUTE, percent }));

test('the drop goes from the last value before the window to the last in it', () => {
  const window = { startMs: 10 * MINUTE, endMs: 12.5 * MINUTE };
  const table: readonly [string, BudgetPoint[], number | undefined][] = [
    ['from before', points([8, 99.5], [9, 99], [11, 97], [12, 90]), 9],
    ['a value at the start is one from before', points([9, 99], [10, 98], [12, 90]), 8],
    ['in any order', points([12, 90], [9, 99], [11, 97]), 9],
    ['none before: from the first in it', points([11, 97], [12, 90]), 7],
    ['later values do not count', points([9, 99], [11, 97], [13, 10]), 2],
    ['no digits of the subtraction', points([9, 99.9], [12, 99.8]), 0.1],
    ['more budget than before', points([9, 50], [12, 100]), -50],
    ['only before', points([8, 99], [9, 98]), undefined],
    ['only one in it', points([11, 98]), undefined],
    ['none', [], undefined],
  ];
  for (const [name, given, drop] of table) assert.equal(budgetDrop(given, window), drop, name);
});

test('values reach the end when there is one at its full minute', () => {
  const window = { startMs: 0, endMs: 12.5 * MINUTE };
  assert.equal(reachesEnd(points([11, 1]), window), false);
  assert.equal(reachesEnd(points([12, 1]), window), true);
  assert.equal(reachesEnd([], window), false);
});
