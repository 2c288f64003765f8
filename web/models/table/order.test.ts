import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextOrder, ordered } from './order.ts';

test('clicks on the head of a column sort upwards, then downwards, then not at all', () => {
  const up = nextOrder(undefined, 'name');
  assert.deepEqual(up, { by: 'name', isDown: false });
  const down = nextOrder(up, 'name');
  assert.deepEqual(down, { by: 'name', isDown: true });
  assert.equal(nextOrder(down, 'name'), undefined);
  assert.deepEqual(nextOrder(down, 'state'), { by: 'state', isDown: false });
});

const ORDERS: readonly [name: string, rows: (string | number)[], isDown: boolean, expected: unknown[]][] = [
  ['numbers by size', [10, 9, -1], false, [-1, 9, 10]],
  ['texts with numbers as a person does', ['run 10', 'run 9'], false, ['run 9', 'run 10']],
  ['texts in any case of letters', ['b', 'A', 'C'], false, ['A', 'b', 'C']],
  ['down', ['a', 'c', 'b'], true, ['c', 'b', 'a']],
  ['numbers before texts', ['a', 1], false, [1, 'a']],
];
for (const [name, rows, isDown, expected] of ORDERS) {
  test(`rows stand in order: ${name}`, () =>
    assert.deepEqual(
      ordered(rows, isDown, (row) => row),
      expected,
    ));
}

test('equal rows keep their order, both ways', () => {
  const rows = [{ id: 1 }, { id: 2 }];
  for (const isDown of [false, true])
    assert.deepEqual(
      ordered(rows, isDown, () => 'same'),
      rows,
    );
});
