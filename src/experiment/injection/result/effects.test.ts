import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '../../../api/index.ts';
import { hadNoEffect, ofUnknownEffect } from '../../../chaos/no-effect.ts';
import { judgeEffects } from './effects.ts';

const entry = (name: string, seen?: boolean): LedgerEntry => ({
  id: `run1.r0.${name}`,
  fault: 'f',
  target: { kind: 'pod', namespace: 'shop', name, container: 'app' },
  parameters: {},
  state: 'reverted',
  injectedAt: '2030-01-01T00:00:00.000Z',
  ...(seen === undefined ? {} : { effect: { seen, message: seen ? '3 hits' : 'nobody came' } }),
});

test('a fault is without effect where that is known of all its targets', () => {
  const { injectedAt: _, ...never } = entry('never', false);
  const rows: [string, LedgerEntry[], boolean][] = [
    ['nothing was injected', [], false],
    ['one target, none', [entry('a', false)], true],
    ['all targets, none', [entry('a', false), entry('b', false)], true],
    ['one of two had one', [entry('a', false), entry('b', true)], false],
    ['of one nothing is known', [entry('a', false), entry('b')], false],
    ['one was never injected', [entry('a', false), never], true],
  ];
  for (const [name, entries, expected] of rows) assert.equal(hadNoEffect(entries), expected, name);
});

test('of what no effect is known, where none is known of any', () => {
  const { injectedAt: _, ...never } = entry('never');
  const rows: [string, LedgerEntry[], string[]][] = [
    ['the only target went', [entry('a')], ['a']],
    ['one went, the other had none', [entry('a'), entry('b', false)], ['a']],
    ['one went, the other had one', [entry('a'), entry('b', true)], []],
    ['none had one', [entry('a', false)], []],
    ['one was never injected', [never], []],
    ['a deleted pod', [{ ...entry('a'), state: 'done' }, entry('witness')], []],
  ];
  for (const [name, entries, expected] of rows) {
    const found = ofUnknownEffect(entries).map(({ target }) => target.name);
    assert.deepEqual(found, expected, name);
  }
  assert.deepEqual(judgeEffects('f', [entry('a')], false), {
    missing: [],
    unknown: ['pod shop/a (app)'],
    small: [],
    objection: undefined,
  });
});

test('only an engine that requires an effect makes its absence an objection', () => {
  const entries = [entry('a', false)];
  assert.deepEqual(judgeEffects('f', entries, false), {
    missing: ['pod shop/a (app): nobody came'],
    unknown: [],
    small: [],
    objection: undefined,
  });
  const rows: [string, LedgerEntry[], string][] = [
    [
      'one target, none',
      entries,
      'Fail NO_EFFECT f had no effect on pod shop/a (app): nobody came; correct its settings',
    ],
    ['one of two had one', [entry('a', false), entry('b', true)], 'none'],
    [
      'not known of the only one',
      [entry('a')],
      'Error EFFECT_UNKNOWN whether f had an effect is not known of pod shop/a (app), and',
    ],
    [
      'one had none, of the other it is not known',
      [entry('a', false), entry('b')],
      'Error EFFECT_UNKNOWN whether f had an effect is not known of pod shop/b (app), and',
    ],
    ['one had one, of the other it is not known', [entry('a', true), entry('b')], 'none'],
    ['nothing was injected', [], 'none'],
    ['a deleted pod', [{ ...entry('a'), state: 'done' }], 'none'],
  ];
  for (const [name, own, expected] of rows) {
    const { objection } = judgeEffects('f', own, true);
    const found =
      objection === undefined ? 'none' : `${objection.verdict} ${objection.code} ${objection.reason}`;
    assert.ok(found.startsWith(expected), `${name}: ${found}`);
  }
});

test('a load that got next to none of what was asked for is too small an effect, where none got more', () => {
  const load = (name: string, share: number): LedgerEntry => ({
    ...entry(name),
    effect: { seen: true, message: `${share * 100} %`, share },
  });
  const rows: [string, LedgerEntry[], string][] = [
    [
      'two hundredths',
      [load('a', 0.02)],
      'Error EFFECT_TOO_SMALL f got less than 10 % of what was asked for on pod shop/a (app): 2 %',
    ],
    ['a tenth', [load('a', 0.1)], 'none'],
    ['both little', [load('a', 0.02), load('b', 0.05)], 'Error EFFECT_TOO_SMALL'],
    ['one of them enough', [load('a', 0.02), load('b', 0.9)], 'none'],
    ['one little, one none', [load('a', 0.02), entry('b', false)], 'Error EFFECT_TOO_SMALL'],
    ['one little, of the other nothing is known', [load('a', 0.02), entry('b')], 'Error EFFECT_TOO_SMALL'],
    ['no amount was asked for', [entry('a', true)], 'none'],
  ];
  for (const [name, own, expected] of rows) {
    const { objection } = judgeEffects('f', own, true);
    const found =
      objection === undefined ? 'none' : `${objection.verdict} ${objection.code} ${objection.reason}`;
    assert.ok(found.startsWith(expected), `${name}: ${found}`);
    assert.equal(judgeEffects('f', own, false).objection, undefined);
  }
});
