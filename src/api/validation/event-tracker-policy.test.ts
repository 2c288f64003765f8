import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldError } from '@turnsole/kube/schema/field-error';
import type { EventTrackerPolicy, EventTrackerPolicySpec } from '../schema/event-tracker-policy.ts';
import { validatePolicy } from './event-tracker-policy.ts';

const CHANGE = { key: 'spec.replicas', operator: 'Change' } as const;

const TABLE: readonly (readonly [
  name: string,
  spec: Partial<EventTrackerPolicySpec>,
  problems: readonly RegExp[],
])[] = [
  ['the least', {}, []],
  ['a value for Change, as upstream takes it', { conditions: [{ ...CHANGE, value: '1' }] }, []],
  ['an empty value', { conditions: [{ key: 'a', operator: 'EqualTo', value: '' }] }, []],
  [
    'values that are missing',
    { conditions: [CHANGE, { key: 'a', operator: 'EqualTo' }, { key: 'b', operator: 'LessThan' }] },
    [
      /^spec.conditions\[1\].value: Required value: EqualTo compares/,
      /^spec.conditions\[2\].value: Required/,
    ],
  ],
  [
    'too many conditions',
    { conditions: Array.from({ length: 33 }, () => CHANGE) },
    [/^spec.conditions: Too many.*at most 32/],
  ],
  [
    'a key that is too long',
    { conditions: [{ ...CHANGE, key: 'a'.repeat(1_025) }] },
    [/^spec.conditions\[0\].key: Too long/],
  ],
  [
    'a template that can have no such name',
    { start: { kind: 'ChaosEngine', name: 'My Engine' } },
    [/^spec.start.name: Invalid value/],
  ],
  [
    'parameters of an engine',
    { start: { kind: 'ChaosEngine', name: 'e', parameters: { a: 'b' } } },
    [/^spec.start.parameters: Forbidden: only a WorkflowTemplate has parameters, not a ChaosEngine/],
  ],
];

for (const [name, spec, problems] of TABLE) {
  test(`a policy with ${name}: ${problems.length} problems`, () => {
    const policy: EventTrackerPolicy = {
      metadata: { name: 'p' },
      spec: { condition_type: 'or', conditions: [CHANGE], ...spec },
    };
    const found = validatePolicy(policy).map(formatFieldError);
    assert.equal(found.length, problems.length, found.join('\n'));
    for (const [index, problem] of problems.entries()) assert.match(found[index] ?? '', problem);
  });
}
