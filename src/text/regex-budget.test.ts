import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ambiguity, testWithin } from './regex-budget.ts';

const endless = Number.POSITIVE_INFINITY;

describe('the worst time of a pattern', () => {
  for (const [pattern, expected] of [
    ['^abc$', 1],
    ['^[a-z*+]{1,3}$', 2],
    ['^\\(a+\\)+$', 3],
    ['^.*.*=.*$', 4],
    ['^(a+)+$', endless],
    ['^((a|b)c)*$', endless],
    ['^(?:(?:a?)x)+$', endless],
    ['^(abc)+$', 2],
    ['^[^)(]([-a-z]*[a-z])?$', 2],
  ] as const) {
    it(`of ${pattern}`, () => assert.equal(ambiguity(pattern), expected));
  }
});

describe('testing within a budget', () => {
  it('says what the pattern says', () => {
    const budget = { leftMs: 1_000 };
    assert.equal(testWithin(/^(a+)+$/u, 'aaaa', budget), true);
    assert.equal(testWithin(/^(a+)+$/u, 'aab', budget), false);
    assert.equal(testWithin(/^a+$/u, 'b', budget), false);
  });

  it('gives up when the budget is used up, and does not begin again', () => {
    const budget = { leftMs: 20 };
    const text = `${'a'.repeat(60)}!`;
    assert.equal(testWithin(/^(a+)+$/u, text, budget), undefined);
    assert.ok(budget.leftMs < 1);
    assert.equal(testWithin(/^(a+)+$/u, 'aa', budget), undefined);
    // What can do no harm needs no budget.
    assert.equal(testWithin(/^a$/u, 'a', budget), true);
  });
});
