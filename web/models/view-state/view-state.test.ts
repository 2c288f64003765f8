import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QueryFacts, viewState } from './view-state.ts';

const away = { code: 'away', message: 'the server cannot be reached' };
const STATES: readonly [name: string, facts: Partial<QueryFacts<number[]>>, state: string][] = [
  ['nothing came yet', {}, 'loading'],
  ['data came', { data: [1] }, 'shown'],
  ['data came, and is none', { data: [] }, 'empty'],
  ['nothing came, and nothing will', { error: away }, 'failed'],
  ['data came, then the server went away', { data: [1], error: away }, 'away'],
  [
    'the session is over, whatever came before',
    { data: [1], error: { code: 'unauthenticated', message: '' } },
    'signed-out',
  ],
  ['the role does not allow it', { error: { code: 'forbidden', message: 'Owners only' } }, 'forbidden'],
];
for (const [name, facts, state] of STATES) {
  test(`a view: ${name}`, () => {
    const all = { data: undefined, error: undefined, dataAtMs: 5, ...facts };
    assert.equal(viewState(all, (data) => data.length === 0).state, state);
  });
}
