import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatch } from './merge-patch.ts';

const ROWS: readonly [name: string, before: unknown, after: unknown, patch: unknown][] = [
  ['nothing differs', { a: 1, b: [1] }, { a: 1, b: [1] }, undefined],
  ['a member differs', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
  ['a member is gone', { a: 1, b: 2 }, { a: 1 }, { b: null }],
  ['a member has become undefined', { a: 1 }, { a: undefined }, { a: null }],
  ['a member is new', {}, { a: { b: 1 } }, { a: { b: 1 } }],
  ['objects are compared inside', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
  ['lists are replaced', { a: [1, 2] }, { a: [1] }, { a: [1] }],
  ['there was nothing', undefined, { a: 1 }, { a: 1 }],
  ['everything is gone', { a: 1 }, undefined, null],
];

for (const [name, before, after, patch] of ROWS)
  test(name, () => assert.deepEqual(mergePatch(before, after), patch));
