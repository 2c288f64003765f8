import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenObjects, urgencyOf } from './cluster-list.ts';

const object = (
  kind: string,
  namespace: string,
  name: string,
  verdict: string | null = null,
  parent: string | null = null,
) => ({
  ...{ id: `${kind}/${namespace}/${name}`, kind, namespace, name },
  ...{
    state: verdict === 'Pass' ? 'passed' : verdict === 'Fail' ? 'failedByProbe' : 'running',
    parent,
    faults: [name === 'web' ? 'pod-delete' : 'node-drain'],
  },
});

const OBJECTS = [
  object('ChaosEngine', 'shop', 'web', 'Pass'),
  object('ChaosResult', 'shop', 'web-pod-delete', 'Pass', 'ChaosEngine/shop/web'),
  object('Workflow', 'default', 'night'),
  object('ChaosEngine', 'default', 'drain', 'Fail'),
  object('ChaosSchedule', 'shop', 'weekly'),
];
const ALL = { kind: 'all', namespace: '', find: '' } as const;

const CASES: readonly [what: string, choice: Parameters<typeof chosenObjects>[1], names: string[]][] = [
  ['everything', ALL, ['web', 'web-pod-delete', 'night', 'drain', 'weekly']],
  ['what a person starts', { ...ALL, kind: 'runs' }, ['web', 'night', 'drain']],
  ['one kind', { ...ALL, kind: 'ChaosSchedule' }, ['weekly']],
  ['a namespace', { ...ALL, namespace: 'default' }, ['night', 'drain']],
  ['words in any case of namespace and fault', { ...ALL, find: ' SHOP pod-DEL' }, ['web', 'web-pod-delete']],
];

for (const [what, choice, names] of CASES) {
  test(`a list of the cluster shows ${what}`, () => {
    assert.deepEqual(
      chosenObjects(OBJECTS, choice).map(({ name }) => name),
      names,
    );
  });
}

test('what has failed is more urgent than what runs, and that than what has passed', () => {
  const states = [{ state: 'passed' }, { state: 'chaos' }, { state: 'failedByProbe' }];
  assert.deepEqual(
    states.toSorted((a, b) => urgencyOf(a) - urgencyOf(b)).map(({ state }) => state),
    ['failedByProbe', 'chaos', 'passed'],
  );
});

test('a result is shown as a run when its engine is gone', () => {
  const result = object('ChaosResult', 'shop', 'left', 'Fail', 'ChaosEngine/shop/gone');
  assert.deepEqual(chosenObjects([result], { ...ALL, kind: 'runs' }), [result]);
});
