import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, Lease } from '@turnsole/kube/kinds/core';
import { isHeld, isOperatorOf } from './operator-state.ts';

function deployment({
  ready = 1,
  image = 'turnsole',
  watched = '',
  args = ['operator'],
  labels = {},
}): Deployment {
  const container = { name: 'c', image, args, env: [{ name: 'WATCH_NAMESPACE', value: watched }] };
  return {
    metadata: { name: 'o', namespace: 'litmus', labels },
    spec: { replicas: 1, selector: {}, template: { spec: { containers: [container] } } },
    status: { readyReplicas: ready },
  };
}
const ours = { labels: { 'turnsole.io/installation': 'litmus' } };

for (const [name, one, expected] of [
  ['ours, of all namespaces', deployment(ours), true],
  ['ours, of this one', deployment({ ...ours, watched: 'shop' }), true],
  ['ours, of another one', deployment({ ...ours, watched: 'bank' }), false],
  ['ours, without a ready pod', deployment({ ...ours, ready: 0 }), false],
  ["upstream's", deployment({ image: 'litmuschaos/chaos-operator:3.0.0', args: [] }), true],
  ['the webhook', deployment({ ...ours, args: ['webhook'] }), false],
  ['an application', deployment({}), false],
] as const) {
  test(`operator of shop: ${name} is ${expected ? '' : 'not '}one`, () =>
    assert.equal(isOperatorOf(one, 'shop'), expected));
}

test('operator: a lease counts for twice its length, unless it has no holder', () => {
  const nowMs = Date.parse('2030-01-01T00:01:00Z');
  const lease = (holderIdentity: string, renewTime: string): Lease => ({
    metadata: { name: 'chaos-operator.lock' },
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
  });
  assert.equal(isHeld(lease('o-1', '2030-01-01T00:00:31.000000Z'), nowMs), true);
  assert.equal(isHeld(lease('o-1', '2030-01-01T00:00:30.000000Z'), nowMs), false);
  assert.equal(isHeld(lease('', '2030-01-01T00:00:59.000000Z'), nowMs), false);
});
