import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import { mergeRules } from './merge-rules.ts';
import { grants } from './testing/grants.ts';

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
  [
    'a right on named objects stays on these',
    [
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['turnsole-halt'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    ],
    [
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['turnsole-halt'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    ],
  ],
];

for (const [what, rules, expected] of CASES) {
  test(`rules: ${what}`, () => assert.deepEqual(mergeRules(rules), expected));
}

const word = fc.constantFrom('a', 'b', 'c', 'pods/log');
const rules = fc.array(
  fc.record({
    apiGroups: fc.uniqueArray(word, { minLength: 1 }),
    resources: fc.uniqueArray(word, { minLength: 1 }),
    verbs: fc.uniqueArray(word, { minLength: 1 }),
    resourceNames: fc.uniqueArray(word, { maxLength: 2 }),
  }),
);

test('mergeRules keeps every right, adds none, and does not depend on the order of its input', () => {
  fc.assert(
    fc.property(rules, (list) => {
      assert.deepEqual(grants(mergeRules(list)), grants(list));
      assert.deepEqual(mergeRules([...list].reverse()), mergeRules(list));
    }),
  );
});
