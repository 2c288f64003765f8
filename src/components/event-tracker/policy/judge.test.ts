import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventTrackerPolicySpec } from '../../../api/index.ts';
import { judge } from './judge.ts';

type PolicyCondition = EventTrackerPolicySpec['conditions'][number];

const IMAGE: PolicyCondition = { key: 'image', operator: 'EqualTo', value: 'nginx:2' };
const REPLICAS: PolicyCondition = { key: 'replicas', operator: 'LessThan', value: '3' };
const LABEL: PolicyCondition = { key: 'label', operator: 'Change' };

const changed = (value: unknown) => ({ value, hasChanged: true });
const same = (value: unknown) => ({ value, hasChanged: false });

type Values = Parameters<typeof judge>[1];
const TABLE: readonly (readonly [
  name: string,
  conditions: PolicyCondition[],
  values: Values,
  /** Whether `and`, upstream's `and` and `or` make it a trigger. */
  triggers: readonly [and: boolean, upstream: boolean, or: boolean],
])[] = [
  ['nothing has changed', [IMAGE, REPLICAS], [same('nginx:2'), same(1)], [false, false, false]],
  ['all have changed and pass', [IMAGE, REPLICAS], [changed('nginx:2'), changed(1)], [true, true, true]],
  ['one has changed, all pass', [IMAGE, REPLICAS], [changed('nginx:2'), same(1)], [true, true, true]],
  [
    'one has changed, the other does not pass',
    [IMAGE, REPLICAS],
    [changed('nginx:2'), same(5)],
    [false, true, true],
  ],
  [
    'one has changed and does not pass',
    [IMAGE, REPLICAS],
    [changed('nginx:3'), same(1)],
    [false, false, false],
  ],
  [
    'both have changed, one passes',
    [IMAGE, REPLICAS],
    [changed('nginx:2'), changed(5)],
    [false, false, true],
  ],
  ['Change, and one that holds', [LABEL, REPLICAS], [changed('a'), same(1)], [true, true, true]],
  ['Change that has not, and one that has', [LABEL, REPLICAS], [same('a'), changed(1)], [false, true, true]],
  [
    'a value that could not be evaluated',
    [LABEL, IMAGE],
    [changed('a'), same(undefined)],
    [false, true, true],
  ],
];

for (const [name, conditions, values, expected] of TABLE) {
  test(`judging: ${name}`, () => {
    const by = (condition_type: 'and' | 'or', semantics?: 'upstream'): boolean =>
      judge({ condition_type, conditions, ...(semantics && { semantics }) }, values) !== undefined;
    assert.deepEqual([by('and'), by('and', 'upstream'), by('or')], expected);
  });
}

test('the reason names the conditions that made it a trigger', () => {
  const spec = { condition_type: 'or', conditions: [IMAGE, LABEL, REPLICAS] } as const;
  const reason = judge({ ...spec, conditions: [...spec.conditions] }, [
    changed('nginx:2'),
    changed('b'),
    changed(9),
  ]);
  assert.equal(reason, 'image EqualTo nginx:2; label Change');
});
