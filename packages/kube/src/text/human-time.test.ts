import assert from 'node:assert/strict';
import { test } from 'node:test';
import { humanTime } from './human-time.ts';

test('the unit fits the length', () => {
  const table: readonly [number, string][] = [
    [0, '0 ms'],
    [1.26, '1.3 ms'],
    [12.4, '12 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [1000, '1 s'],
    [2149, '2.1 s'],
    [-4200, '-4.2 s'],
    [59_960, '60 s'],
    [119_900, '119.9 s'],
    [119_960, '2 min'],
    [200_000, '3 min 20 s'],
  ];
  for (const [ms, text] of table) assert.equal(humanTime(ms), text);
});
