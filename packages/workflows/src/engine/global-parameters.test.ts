import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Parameter } from '../kinds/parameters.ts';
import { resolveParameters } from './global-parameters.ts';

const MAPS = new Map([['shop-settings', { color: 'red' }]]);

function resolve(...parameters: readonly Parameter[]) {
  const workflow = { metadata: { name: 'shop' }, spec: { arguments: { parameters } } };
  return resolveParameters(workflow, workflow.spec, MAPS, { random: () => 0, now: 0 });
}

test('the ConfigMap of a parameter may be named by tags', () => {
  const { values } = resolve(
    { name: 'key', value: 'color' },
    {
      name: 'c',
      valueFrom: {
        configMapKeyRef: { name: '{{workflow.name}}-settings', key: '{{workflow.parameters.key}}' },
      },
    },
  );
  assert.equal(values[1]?.value, 'red');
});

test('one that is not there is named as it was filled in', () => {
  const { problem } = resolve({
    name: 'c',
    valueFrom: { configMapKeyRef: { name: '{{workflow.name}}-zz', key: 'k' } },
  });
  assert.match(
    problem ?? '',
    /^failed to set global parameter c from configmap with name shop-zz and key k: /,
  );
});
