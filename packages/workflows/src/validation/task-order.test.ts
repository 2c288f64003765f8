import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependencyOrder } from './task-order.ts';

const order = (waitsFor: Record<string, readonly string[]>) =>
  dependencyOrder(new Map(Object.entries(waitsFor)));

test('those that wait for nothing come first, then those that wait for these, each in the given order', () => {
  assert.deepEqual(order({ d: ['b', 'c'], c: ['a'], b: ['a'], e: [], a: [] })?.names, [
    'e',
    'a',
    'c',
    'b',
    'd',
  ]);
  assert.deepEqual(order({})?.names, []);
});

test('a circle has no order', () => {
  assert.equal(order({ a: ['b'], b: ['a'] }), undefined);
  assert.equal(order({ a: ['a'] }), undefined);
  assert.equal(order({ a: [], b: ['a', 'c'], c: ['b'] }), undefined);
});

test('who waits for whom, directly or not', () => {
  const found = order({ a: [], b: ['a'], c: ['b'], d: [] });
  const waits = (name: string, other: string) => found?.waitsFor(name, other);
  assert.deepEqual([waits('c', 'a'), waits('c', 'b'), waits('b', 'a')], [true, true, true]);
  assert.deepEqual(
    [waits('a', 'c'), waits('c', 'd'), waits('c', 'c'), waits('c', 'nobody')],
    [false, false, false, false],
  );
});

test('a chain of ten thousand, written backwards', () => {
  const length = 10_000;
  const chain = Array.from({ length }, (_, index): [string, string[]] => {
    const name = length - 1 - index;
    return [`t${name}`, name === 0 ? [] : [`t${name - 1}`]];
  });
  const found = dependencyOrder(new Map(chain));
  assert.deepEqual([found?.names[0], found?.names.at(-1)], ['t0', `t${length - 1}`]);
  for (const [name, other, expected] of [
    ['t9999', 't0', true],
    ['t9999', 't9998', true],
    ['t64', 't31', true],
    ['t64', 't65', false],
    ['t31', 't32', false],
  ] as const)
    assert.equal(found?.waitsFor(name, other), expected, `${name} ${other}`);
});
