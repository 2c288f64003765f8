import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventTrackerPolicySpec } from '../../../api/index.ts';
import type { SeenWorkload } from '../policy/workload.ts';
import { invalidCondition, readyCondition } from './ready-condition.ts';

const SPEC: EventTrackerPolicySpec = {
  condition_type: 'or',
  conditions: [
    { key: 'spec.replicas', operator: 'Change' },
    { key: 'spec.replica', operator: 'Change' },
  ],
};

function seen(values: readonly unknown[], problems: readonly string[] = []): SeenWorkload {
  return { values, problems } as unknown as SeenWorkload;
}

type Row = readonly [name: string, workloads: readonly SeenWorkload[], untracked: number, expected: RegExp];
const TABLE: readonly Row[] = [
  ['all is well', [seen([1, 1])], 0, /^True Valid /],
  ['a key has a value on one of them only', [seen([1, null]), seen([1, 1])], 0, /^True Valid /],
  [
    'a key never has a value',
    [seen([1, null])],
    0,
    /^True KeyWithoutValue spec.conditions\[1\].key: "spec.replica": no watched/,
  ],
  [
    'a key cannot be evaluated',
    [seen([1, undefined], ['spec.conditions[1].key: no'])],
    0,
    /^True KeyWithoutValue .*no; where/,
  ],
  ['nothing is annotated', [], 0, /^True NoWorkloads .*gitops: "true" and litmuschaos.io\/experimentId$/],
  ['there are too many', [seen([1, 1])], 3, /^False TooManyWorkloads 3 workloads/],
];

for (const [name, workloads, untracked, expected] of TABLE) {
  test(`Ready, when ${name}`, () => {
    const { status, reason, message } = readyCondition(
      { spec: SPEC, keys: [], digest: '' },
      workloads,
      untracked,
    );
    assert.match(`${status} ${reason} ${message}`, expected);
  });
}

test('every problem of an invalid policy is named, once', () => {
  assert.equal(invalidCondition(['a', 'b', 'a']).message, 'a; b');
});
