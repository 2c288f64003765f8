import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { NodeRoom } from './admission.ts';

const NODE_OBJECT: Node = {
  metadata: { name: 'n', labels: { disk: 'ssd' } },
  spec: { taints: [{ key: 'out', effect: 'NoExecute' }] },
  status: { allocatable: { cpu: '2', memory: '1Gi', pods: '3' } },
};

function pod(name: string, requests: Record<string, string>, spec: Partial<PodSpec> = {}): Pod {
  return {
    metadata: { name, uid: `uid-${name}` },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { requests } }],
      tolerations: [{ operator: 'Exists' }],
      ...spec,
    },
  };
}

function withPort(name: string): Pod {
  return pod(
    name,
    {},
    { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort: 80 }] }] },
  );
}

const table: readonly (readonly [string, readonly Pod[], Pod, string | undefined])[] = [
  ['fits', [], pod('a', { cpu: '2', memory: '1Gi' }), undefined],
  [
    'too big',
    [],
    pod('a', { cpu: '900' }),
    "OutOfcpu: Node didn't have enough resource: cpu, requested: 900000, used: 0, capacity: 2000",
  ],
  [
    'too big beside the others',
    [pod('a', { memory: '512Mi' })],
    pod('b', { memory: '513Mi' }),
    "OutOfmemory: Node didn't have enough resource: memory, requested: 537919488, used: 536870912, capacity: 1073741824",
  ],
  [
    'too many',
    [pod('a', {}), pod('b', {}), pod('c', {})],
    pod('d', {}),
    "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
  ],
  ['right node', [], pod('a', {}, { nodeSelector: { disk: 'ssd' } }), undefined],
  [
    'wrong node',
    [],
    pod('a', {}, { nodeSelector: { disk: 'no' } }),
    "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  ],
  [
    'port taken',
    [withPort('a')],
    withPort('b'),
    "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  ],
  [
    'taint',
    [],
    pod('a', {}, { tolerations: [] }),
    "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  ],
];

for (const [name, others, one, expected] of table) {
  test(`a node and a pod that was bound to it: ${name}`, () => {
    const room = new NodeRoom();
    for (const other of others) room.take(other);
    const refusal = room.refusal(one, NODE_OBJECT);
    assert.equal(refusal && `${refusal.reason}: ${refusal.message}`, expected);
  });
}

test('an ended pod takes nothing, and no pod counts twice', () => {
  const room = new NodeRoom();
  const big = pod('a', { cpu: '2' });
  room.take(big);
  room.take(big);
  assert.equal(room.refusal(pod('b', { cpu: '1' }), NODE_OBJECT)?.reason, 'OutOfcpu');
  room.release('uid-a');
  room.release('uid-a');
  assert.equal(room.refusal(pod('b', { cpu: '2' }), NODE_OBJECT), undefined);
});
