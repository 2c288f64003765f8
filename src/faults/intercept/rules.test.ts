import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lapseOf } from './rules.ts';

const LAPSES: readonly [string, number, number, object | undefined][] = [
  ['in time', 1_000, 3_100, undefined],
  ['at the last moment', 1_000, 7_000, undefined],
  ['too late', 1_000, 7_600, { fromMs: 7_000, toMs: 7_600 }],
];
for (const [name, loadedMs, againMs, lapse] of LAPSES) {
  test(`rules that are renewed ${name}`, () => assert.deepEqual(lapseOf(loadedMs, againMs), lapse));
}
