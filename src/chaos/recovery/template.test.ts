import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod, Toleration } from '@turnsole/kube/kinds/core';
import { recoveryTemplate } from './template.ts';

const OWN: Toleration = { key: 'dedicated', operator: 'Equal', value: 'chaos', effect: 'NoSchedule' };
const OF_EVERY_POD: Toleration = {
  key: 'node.kubernetes.io/not-ready',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
};
const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

describe('tolerations of a recovery', () => {
  const table: readonly {
    readonly name: string;
    readonly own: readonly Toleration[];
    readonly taints: readonly { readonly key: string; readonly effect: string }[];
    readonly expected: readonly Toleration[] | null;
  }[] = [
    { name: 'none, as the experiment', own: [], taints: [], expected: null },
    {
      name: "the experiment's, without those of every pod",
      own: [OWN, OF_EVERY_POD],
      taints: [],
      expected: [OWN],
    },
    {
      name: 'what the experiment keeps pods off nodes by, whatever its value is',
      own: [],
      taints: [CORDON, { key: 'chaos', effect: 'NoExecute' }],
      expected: [
        { ...CORDON, operator: 'Exists' },
        { key: 'chaos', operator: 'Exists', effect: 'NoExecute' },
      ],
    },
    { name: 'both', own: [OWN], taints: [CORDON], expected: [OWN, { ...CORDON, operator: 'Exists' }] },
  ];
  for (const { name, own, taints, expected } of table) {
    test(name, () => {
      const container = { name: 'main', image: 'i' };
      const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [container], tolerations: [...own] } };
      assert.deepEqual(recoveryTemplate('x', pod, container, taints)?.pod.tolerations, expected);
    });
  }
});
