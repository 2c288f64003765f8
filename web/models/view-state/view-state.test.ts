import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownData, type QueryFacts, viewState } from './view-state.ts';

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
  ['what was asked for is not there', { error: { code: 'not-found', message: '' } }, 'missing'],
  ['it was there, and was deleted', { data: [1], error: { code: 'not-found', message: '' } }, 'missing'],
  ['the role does not allow it', { error: { code: 'forbidden', message: 'Owners only' } }, 'forbidden'],
];
for (const [name, facts, state] of STATES) {
  test(`a view: ${name}`, () => {
    const all = { data: undefined, error: undefined, dataAtMs: 5, ...facts };
    assert.equal(viewState(all, (data) => data.length === 0).state, state);
  });
}

test('a refusal is shown in its own words, without the code for programs', () => {
  const error = { code: 'forbidden', message: 'permission_denied: a Viewer may not do this' };
  const state = viewState({ data: undefined, error, dataAtMs: 0 }, () => false);
  assert.deepEqual(state, { state: 'forbidden', message: 'a Viewer may not do this' });
});

test('a list that was empty when it was last read still counts as empty while the server is away', () => {
  const facts = { data: [], error: away, dataAtMs: 5 };
  const view = viewState<number[]>(facts, (data) => data.length === 0);
  assert.deepEqual(view, { state: 'away', data: [], isEmpty: true, sinceMs: 5, message: away.message });
});

test('what a view knows stays known while the server is away', () => {
  const known = (facts: Partial<QueryFacts<number[]>>): number[] | undefined =>
    knownData(viewState({ data: undefined, error: undefined, dataAtMs: 5, ...facts }));
  assert.deepEqual(known({ data: [1] }), [1]);
  assert.deepEqual(known({ data: [1], error: away }), [1]);
  assert.equal(known({ error: away }), undefined);
  assert.equal(known({}), undefined);
});
