import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvVar, Pod } from '@turnsole/kube/kinds/core';
import { OPERATOR_PODS } from './peers.ts';

function pod(image: string, env: readonly EnvVar[]): Pod {
  return {
    metadata: { name: 'p', namespace: 'litmus' },
    spec: { containers: [{ name: 'c', image, env: [...env] }] },
  };
}

const ofOwn: EnvVar = {
  name: 'WATCH_NAMESPACE',
  valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } },
};

for (const [what, given, reach] of [
  [
    'of the whole cluster',
    pod('litmuschaos/chaos-operator:3.31.0', [{ name: 'WATCH_NAMESPACE', value: '' }]),
    '',
  ],
  ['of its own namespace', pod('litmuschaos/chaos-operator:3.31.0', [ofOwn]), 'litmus'],
  ['of another namespace', pod('x/chaos-operator', [{ name: 'WATCH_NAMESPACE', value: 'shop' }]), 'shop'],
  [
    'of a namespace that is not known here, which may be any',
    pod('litmuschaos/chaos-operator:ci', [
      { name: 'WATCH_NAMESPACE', valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } },
    ]),
    '',
  ],
  ['of something else', pod('example.com/operator', []), undefined],
] as const) {
  test(`the pod of an operator ${what}`, async () => assert.equal(await OPERATOR_PODS.reachOf(given), reach));
}
