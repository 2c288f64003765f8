import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planPrune } from './plan-prune.ts';

const SIZES = new Map([
  ['base', 50],
  ['a', 10],
  ['b', 20],
  ['c', 30],
]);
const image = (digest: string, usedAt: number, parts: readonly string[], isHeld = false) => ({
  digest,
  usedAt,
  parts,
  isHeld,
});
const A = image('A', 1, ['base', 'a']);
const B = image('B', 2, ['base', 'b', 'b']);
const C = image('C', 3, ['c']);

const CASES: readonly (readonly [
  name: string,
  images: Parameters<typeof planPrune>[0],
  most: number,
  removed: string[],
])[] = [
  ['all fits', [A, B, C], 110, []],
  ['what was used longest ago goes', [C, B, A], 109, ['A']],
  ['what others share frees nothing', [A, B, C], 90, ['A', 'B']],
  ['until it fits', [A, B, C], 30, ['A', 'B']],
  ['everything', [A, B, C], 0, ['A', 'B', 'C']],
  ['what is held stays', [image('A', 1, ['base', 'a'], true), B, C], 0, ['B', 'C']],
  ['an empty store', [], 0, []],
];

for (const [name, images, most, removed] of CASES) {
  test(name, () => assert.deepEqual(planPrune(images, SIZES, most), removed));
}
