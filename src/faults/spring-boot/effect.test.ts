import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assaultEffect, killEffect } from './effect.ts';

test('an application that was to be killed runs in another container, or in none', () => {
  assert.equal(killEffect('a', 'b').seen, true);
  assert.equal(killEffect('a', undefined).seen, true);
  assert.equal(killEffect('a', 'a').seen, false);
});

test('an assault that was switched off meanwhile is no effect, and of one in force nothing is known', () => {
  const wanted = { level: 1, latencyActive: true };
  const on = { enabled: true, assaults: { latencyActive: true, cpuActive: false } };
  const rows: [string, Parameters<typeof assaultEffect>[1], RegExp | undefined][] = [
    ['in force', on, undefined],
    ['a release that does not say what is on', {}, undefined],
    ['switched off as a whole', { ...on, enabled: false }, /^its Chaos Monkey is switched off/],
    [
      'this assault switched off',
      { ...on, assaults: { latencyActive: false } },
      /^latencyActive of its .* is /,
    ],
  ];
  for (const [name, found, expected] of rows) {
    const effect = assaultEffect(wanted, found);
    assert.equal(effect?.seen, expected && false, name);
    if (expected !== undefined) assert.match(effect?.message ?? '', expected, name);
  }
});
