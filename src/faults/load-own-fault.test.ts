import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOwnFault, ownFaultProblem } from './load-own-fault.ts';

const FAULT = {
  ...{ name: 'pod-freeze', summary: 'Freezes.', targets: 'pods', shape: 'sustained', where: 'api' },
  ...{ permissions: [], tunables: { A: { type: 'text', default: '', description: 'An A.' } } },
  ...{ plan: () => [], inject: async () => {}, revert: async () => {} },
};

const ROWS: readonly (readonly [name: string, found: unknown, problem: RegExp | undefined])[] = [
  ['a fault', FAULT, undefined],
  ['nothing', undefined, /^its default export is no fault/],
  ['another name than that of its file', { ...FAULT, name: 'freeze' }, /^name: expected pod-freeze/],
  ['no sentence', { ...FAULT, summary: '' }, /^summary: /],
  ['unknown targets', { ...FAULT, targets: 'containers' }, /^targets: expected one of pods, workloads/],
  ['no shape', { ...FAULT, shape: 'round' }, /^shape: /],
  ['one of nodes', { ...FAULT, where: 'node' }, /^where: .* takes a checkout$/],
  ['no permissions', { ...FAULT, permissions: undefined }, /^permissions: /],
  ['a setting without words', { ...FAULT, tunables: { A: { type: 'text' } } }, /^tunables\.A: /],
  [
    'a common setting of another type',
    { ...FAULT, tunables: { TOTAL_CHAOS_DURATION: { type: 'text', default: '', description: 'A.' } } },
    /^tunables\.TOTAL_CHAOS_DURATION: a setting of all faults; expected its type, /,
  ],
  ['no revert', { ...FAULT, revert: undefined }, /^revert: expected a function$/],
  ['an effect that is none', { ...FAULT, effect: 'much' }, /^effect: expected a function$/],
];

for (const [name, found, problem] of ROWS)
  test(`a fault of a user: ${name}`, () => {
    const said = ownFaultProblem('pod-freeze', found);
    if (problem === undefined) assert.equal(said, undefined);
    else assert.match(said ?? '', problem);
  });

test('a file that is not there is said without the files of Turnsole', () =>
  assert.rejects(loadOwnFault('pod-freeze', '/nowhere/pod-freeze.js'), {
    message: 'cannot load the fault pod-freeze from /nowhere/pod-freeze.js: there is no such file',
  }));
