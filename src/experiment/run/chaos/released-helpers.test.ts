import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosResult, LedgerEntry } from '../../../api/index.ts';
import { haveLetGo } from './released-helpers.ts';

const entry = (name: string, state: LedgerEntry['state'], run = 'r1'): LedgerEntry => ({
  ...{ id: `${run}.1.${name}`, fault: 'f', state, parameters: {}, plannedAt: '2030-01-01T00:00:00Z' },
  target: { kind: 'Pod', name, namespace: 'shop' },
});
const target = (name: string) => ({ kind: 'Pod' as const, name, namespace: 'shop' });

for (const [name, entries, expected] of [
  ['all that was hit is reverted', [entry('a', 'reverted'), entry('b', 'reverted')], true],
  ['one is still in force', [entry('a', 'reverted'), entry('b', 'injected')], false],
  ['one is planned', [entry('a', 'reverted'), entry('b', 'planned')], false],
  ['a helper has not begun', [entry('a', 'reverted')], false],
  ['none has', [], false],
  ['one was hit by an earlier run only', [entry('a', 'reverted'), entry('b', 'reverted', 'r0')], false],
  [
    'another run left something, which is no business of theirs',
    [entry('a', 'reverted'), entry('b', 'reverted'), entry('c', 'injected', 'r0')],
    true,
  ],
] as const) {
  test(`helpers have ${expected ? '' : 'not '}let go when ${name}`, () => {
    const ledger = Object.fromEntries(entries.map((one) => [one.id, one]));
    const result: ChaosResult = {
      metadata: { name: 'r' },
      status: { experimentStatus: { phase: 'Running', verdict: 'Awaited' }, ledger },
    };
    assert.equal(haveLetGo(result, 'r1', [target('a'), target('b')]), expected);
  });
}

test('without a result it is not known', () =>
  assert.equal(haveLetGo(undefined, 'r1', [target('a')]), false));
