import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange, type ListChange } from './objects.ts';

type Item = { readonly id: string; readonly createdAt: string; readonly phase: string };
const item = (id: string, createdAt: number, phase = ''): Item => ({
  id,
  createdAt: String(createdAt),
  phase,
});
const change = (objects: Item[], removed: string[] = [], complete = false): ListChange<Item> => ({
  complete,
  objects,
  removed,
});
const A = item('a', 1);
const B = item('b', 2);

const CHANGES: readonly [name: string, before: Item[], change: ListChange<Item>, after: Item[]][] = [
  ['the first has everything', [], change([A, B], [], true), [B, A]],
  ['something new comes first', [A], change([B]), [B, A]],
  ['something changes in its place', [B, A], change([item('a', 1, 'Running')]), [B, item('a', 1, 'Running')]],
  ['something goes', [B, A], change([], ['b']), [A]],
  [
    'after a break everything comes again, and what went meanwhile is gone',
    [B, A],
    change([A], [], true),
    [A],
  ],
];
for (const [name, before, happened, after] of CHANGES) {
  test(`a list: ${name}`, () => {
    assert.deepEqual(applyChange(before, happened), after);
    assert.deepEqual(applyChange(applyChange(before, happened), happened), after, 'told twice');
  });
}
