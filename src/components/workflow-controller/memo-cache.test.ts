import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxAgeMs } from './memo-cache.ts';

const AGES: readonly (readonly [text: string, age: number | undefined | RegExp])[] = [
  ['', undefined],
  ['1m', 60_000],
  ['soon', /^invalid memoize\.maxAge: "soon" is no duration/],
  ['10', /^invalid memoize\.maxAge: "10" is no duration: the unit is missing/],
];

for (const [text, expected] of AGES) {
  test(`the longest age ${JSON.stringify(text)} of a cache`, () => {
    const found = maxAgeMs(text);
    if (expected instanceof RegExp) assert.match(String(found), expected);
    else assert.equal(found, expected);
  });
}
