import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '../../api/core.ts';
import { mergeRules } from './merge-rules.ts';

const CASES: readonly [what: string, rules: readonly PolicyRule[], expected: readonly PolicyRule[]][] = [
  ['nothing grants nothing', [], []],
  [
    'verbs of one resource are put together, each once',
    [
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'get'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['delete', 'list'] },
    ],
    [{ apiGroups: [''], resources: ['pods'], verbs: ['delete', 'get', 'list'] }],
  ],
  [
    'resources of one group with the same verbs share a rule; those of another group do not',
    [
      { apiGroups: ['apps'], resources: ['deployments', 'daemonsets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['deployments'], verbs: ['get'] },
    ],
    [
      { apiGroups: [''], resources: ['deployments'], verbs: ['get'] },
      { apiGroups: ['apps'], resources: ['daemonsets', 'deployments'], verbs: ['get'] },
    ],
  ],
  [
    'a subresource is a resource of its own',
    [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get'] }],
    [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get'] }],
  ],
];

for (const [what, rules, expected] of CASES) {
  test(`rules: ${what}`, () => assert.deepEqual(mergeRules(rules), expected));
}
