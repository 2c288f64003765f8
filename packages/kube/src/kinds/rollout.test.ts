import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRollingOut } from './rollout.ts';

type Kind = Parameters<typeof isRollingOut>[0];
const done = {
  observedGeneration: 2,
  replicas: 3,
  updatedReplicas: 3,
  availableReplicas: 3,
  readyReplicas: 3,
};
const nodes = { observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberReady: 2 };
const revisions = { currentRevision: 'a', updateRevision: 'b' };

const TABLE: readonly (readonly [
  kind: Kind,
  name: string,
  spec: object,
  status: object,
  isRolling: boolean,
])[] = [
  ['Deployment', 'is there', { replicas: 3 }, done, false],
  ['Deployment', 'has not been looked at', { replicas: 3 }, { ...done, observedGeneration: 1 }, true],
  ['Deployment', 'has old pods', { replicas: 3 }, { ...done, replicas: 4 }, true],
  ['Deployment', 'waits for pods', { replicas: 3 }, { ...done, availableReplicas: 2 }, true],
  ['Deployment', 'has no pods and wants none', { replicas: 0 }, { observedGeneration: 2 }, false],
  [
    'Deployment',
    'has exceeded its deadline',
    { replicas: 3 },
    {
      ...done,
      availableReplicas: 2,
      conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }],
    },
    true,
  ],
  ['StatefulSet', 'is there', { replicas: 3 }, done, false],
  ['StatefulSet', 'waits for pods', { replicas: 3 }, { ...done, readyReplicas: 2 }, true],
  ['StatefulSet', 'has pods to update', { replicas: 3 }, { ...done, ...revisions, updatedReplicas: 1 }, true],
  [
    'StatefulSet',
    'is updated up to its partition',
    { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
    { ...done, ...revisions, updatedReplicas: 1 },
    false,
  ],
  [
    'StatefulSet',
    'is updated by deleting',
    { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    { ...done, ...revisions, updatedReplicas: 0 },
    false,
  ],
  ['StatefulSet', 'has not been looked at', { replicas: 3 }, { ...done, observedGeneration: 1 }, true],
  ['StatefulSet', 'has pods to remove', { replicas: 3 }, { ...done, replicas: 4 }, true],
  [
    'StatefulSet',
    'has pods above its partition to update',
    { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
    { ...done, ...revisions, updatedReplicas: 1 },
    true,
  ],
  ['DaemonSet', 'is there', {}, nodes, false],
  ['DaemonSet', 'waits for pods', {}, { ...nodes, numberReady: 1 }, true],
  ['DaemonSet', 'has pods to update', {}, { ...nodes, updatedNumberScheduled: 1 }, true],
  ['DaemonSet', 'has not been looked at', {}, { ...nodes, observedGeneration: 1 }, true],
  [
    'DaemonSet',
    'is updated by deleting',
    { updateStrategy: { type: 'OnDelete' } },
    { ...nodes, updatedNumberScheduled: 0 },
    false,
  ],
];

for (const [kind, name, spec, status, isRolling] of TABLE) {
  test(`a ${kind} that ${name} is ${isRolling ? '' : 'not '}rolling out`, () => {
    const object = { metadata: { name: 'w', generation: 2 }, spec, status };
    assert.equal(isRollingOut(kind, object), isRolling);
  });
}
