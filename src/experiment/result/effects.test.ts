import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '../../api/index.ts';
import { hadNoEffect } from '../../api/no-effect.ts';
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

test('only an engine that requires an effect makes its absence an objection', () => {
  const entries = [entry('a', false)];
  assert.deepEqual(judgeEffects('f', entries, false), {
    missing: ['pod shop/a (app): nobody came'],
    objection: undefined,
  });
  const { objection } = judgeEffects('f', entries, true);
  assert.equal(objection?.errorCode, 'NO_EFFECT');
  assert.match(
    objection?.reason ?? '',
    /f had no effect: pod shop\/a \(app\): nobody came; correct its settings/,
  );
  assert.equal(judgeEffects('f', [entry('a', true)], true).objection, undefined);
});
