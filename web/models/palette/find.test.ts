import assert from 'node:assert/strict';
import { test } from 'node:test';
import { found } from './find.ts';

const ITEMS = [
  { label: 'Runs' },
  { label: 'checkout-loses-pods', words: 'experiment' },
  { label: 'Run checkout-loses-pods', words: 'start' },
  { label: 'Dark colours', words: 'theme' },
  { label: 'overrun' },
];
const CASES: readonly [typed: string, labels: string[]][] = [
  ['', ['Runs', 'checkout-loses-pods', 'Run checkout-loses-pods', 'Dark colours', 'overrun']],
  ['RUN', ['Runs', 'Run checkout-loses-pods', 'overrun']],
  ['run pods', ['Run checkout-loses-pods']],
  ['pods', ['checkout-loses-pods', 'Run checkout-loses-pods']],
  ['theme', ['Dark colours']],
  ['(', []],
];
for (const [typed, labels] of CASES) {
  test(`the palette finds by "${typed}"`, () =>
    assert.deepEqual(
      found(ITEMS, typed, 10).map(({ label }) => label),
      labels,
    ));
}

test('the palette shows only so many', () => assert.equal(found(ITEMS, '', 2).length, 2));
