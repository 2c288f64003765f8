import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod, StatefulSet } from '@turnsole/kube/kinds/core';
import { STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import type { ControllerRevision } from '../shared/types.ts';
import { at, type PodOptions, pod, START_MS } from '../testing/builders.ts';
import { decideStatefulSet } from './decide-stateful-set.ts';
import { claimsFor, newStatefulPod } from './identity.ts';

function set(
  replicas: number,
  spec: Partial<NonNullable<StatefulSet['spec']>> = {},
  status?: StatefulSet['status'],
): StatefulSet {
  return {
    metadata: { name: 'db', namespace: 'default', uid: 'uid-db', generation: 1 },
    spec: {
      replicas,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: { containers: [{ name: 'main', image: 'sample:1' }] },
      },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** The revision that the set's present template gets, as stored. */
function revisionOf(owner: StatefulSet, number = 1): ControllerRevision {
  const { revision } = decideStatefulSet({ set: owner, pods: [], revisions: [], nowMs: START_MS });
  assert.ok(revision);
  return { ...revision.update, revision: number };
}

function withImage(owner: StatefulSet, image: string): StatefulSet {
  const template = { ...owner.spec?.template, spec: { containers: [{ name: 'main', image }] } };
  return {
    ...owner,
    spec: { ...owner.spec, serviceName: 'db', selector: owner.spec?.selector ?? {}, template },
  };
}

function member(
  owner: StatefulSet,
  ordinal: number,
  revision: ControllerRevision,
  options: PodOptions = {},
): Pod {
  return pod(`db-${ordinal}`, {
    owner: [STATEFUL_SETS, owner],
    labels: { app: 'db', 'controller-revision-hash': revision.metadata.name },
    ...options,
  });
}

function moves(owner: StatefulSet, pods: readonly Pod[], revisions: readonly ControllerRevision[]) {
  const step = decideStatefulSet({ set: owner, pods, revisions, nowMs: START_MS });
  return {
    create: step.create.map(({ pod: { metadata } }) => metadata.name),
    delete: step.delete.map(({ pod: { metadata } }) => metadata.name),
  };
}

describe('order', () => {
  const owner = set(3);
  const revision = revisionOf(owner);
  const ready = (ordinal: number) => member(owner, ordinal, revision);
  const unready = (ordinal: number) => member(owner, ordinal, revision, { ready: false });
  const going = (ordinal: number) => member(owner, ordinal, revision, { deleted: at(1) });
  const failed = (ordinal: number) => member(owner, ordinal, revision, { phase: 'Failed' });
  const nothing = { create: [], delete: [] };
  const table: readonly (readonly [
    string,
    number,
    readonly Pod[],
    { create: string[]; delete: string[] },
  ])[] = [
    ['begins with the first', 3, [], { create: ['db-0'], delete: [] }],
    ['waits for the first to be ready', 3, [unready(0)], nothing],
    ['goes on when it is', 3, [ready(0)], { create: ['db-1'], delete: [] }],
    ['is complete', 3, [ready(0), ready(1), ready(2)], nothing],
    ['fills a gap', 3, [ready(0), ready(2)], { create: ['db-1'], delete: [] }],
    ['waits for a pod that is going', 3, [going(0), ready(1), ready(2)], nothing],
    ['replaces a failed pod', 3, [ready(0), failed(1), ready(2)], { create: [], delete: ['db-1'] }],
    ['shrinks from the end', 1, [ready(0), ready(1), ready(2)], { create: [], delete: ['db-2'] }],
    ['shrinks one by one', 1, [ready(0), ready(1), going(2)], nothing],
    [
      'does not shrink while a lower pod is not ready',
      1,
      [ready(0), unready(1), ready(2)],
      { create: [], delete: ['db-2'] },
    ],
    ['does not shrink while a kept pod is not ready', 1, [unready(0), ready(1)], nothing],
    ['to nothing', 0, [ready(0)], { create: [], delete: ['db-0'] }],
  ];
  for (const [name, replicas, pods, expected] of table) {
    test(name, () => assert.deepEqual(moves(set(replicas), pods, [revision]), expected));
  }

  test('does not matter to a parallel set', () => {
    const parallel = set(3, { podManagementPolicy: 'Parallel' });
    assert.deepEqual(moves(parallel, [unready(1)], [revision]), { create: ['db-0', 'db-2'], delete: [] });
    const smaller = set(1, { podManagementPolicy: 'Parallel' });
    assert.deepEqual(moves(smaller, [unready(0), ready(1), unready(2)], [revision]).delete, ['db-2', 'db-1']);
  });

  test('begins where spec.ordinals says', () => {
    assert.deepEqual(moves(set(2, { ordinals: { start: 5 } }), [], [revision]).create, ['db-5']);
  });

  test('a set that is going does nothing', () => {
    const doomed = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: at(1) } };
    assert.deepEqual(moves(doomed, [], [revision]), nothing);
  });
});

describe('an update', () => {
  const first = set(3);
  const old = revisionOf(first);
  const status = { replicas: 3, currentRevision: old.metadata.name, currentReplicas: 3 };
  const second = withImage({ ...first, status }, 'sample:2');
  const next = revisionOf(second, 2);
  const both = [old, next];
  const oldPod = (ordinal: number, options: PodOptions = {}) => member(first, ordinal, old, options);
  const newPod = (ordinal: number, options: PodOptions = {}) => member(first, ordinal, next, options);

  test('goes from the last pod to the first, one at a time', () => {
    assert.deepEqual(moves(second, [oldPod(0), oldPod(1), oldPod(2)], both).delete, ['db-2']);
    assert.deepEqual(moves(second, [oldPod(0), oldPod(1), oldPod(2, { deleted: at(1) })], both).delete, []);
    assert.deepEqual(moves(second, [oldPod(0), oldPod(1)], both).create, ['db-2']);
    assert.deepEqual(moves(second, [oldPod(0), oldPod(1), newPod(2, { ready: false })], both).delete, []);
    assert.deepEqual(moves(second, [oldPod(0), oldPod(1), newPod(2)], both).delete, ['db-1']);
  });

  test('stops at the partition, and pods below it are made anew from the former template', () => {
    const updateStrategy = { type: 'RollingUpdate' as const, rollingUpdate: { partition: 2 } };
    const held = withImage({ ...set(3, { updateStrategy }), status }, 'sample:2');
    assert.deepEqual(moves(held, [oldPod(0), oldPod(1), newPod(2)], both).delete, []);
    const step = decideStatefulSet({ set: held, pods: [newPod(2)], revisions: both, nowMs: START_MS });
    assert.equal(step.create[0]?.pod.spec?.containers[0]?.image, 'sample:1');
  });

  test('on delete leaves the pods alone', () => {
    const manual = withImage({ ...set(3, { updateStrategy: { type: 'OnDelete' } }), status }, 'sample:2');
    assert.deepEqual(moves(manual, [oldPod(0), oldPod(1), oldPod(2)], both).delete, []);
  });

  test('is counted, and done when all pods have the new revision', () => {
    const half = decideStatefulSet({
      set: second,
      pods: [oldPod(0), oldPod(1), newPod(2)],
      revisions: both,
      nowMs: START_MS,
    }).status;
    assert.equal(half.currentReplicas, 2);
    assert.equal(half.updatedReplicas, 1);
    assert.equal(half.currentRevision, old.metadata.name);
    assert.equal(half.updateRevision, next.metadata.name);
    const done = decideStatefulSet({
      set: second,
      pods: [newPod(0), newPod(1), newPod(2)],
      revisions: both,
      nowMs: START_MS,
    }).status;
    assert.equal(done.currentRevision, next.metadata.name);
    assert.equal(done.currentReplicas, 3);
  });

  test('back to a former template uses its revision again', () => {
    const back = withImage(second, 'sample:1');
    const step = decideStatefulSet({ set: back, pods: [], revisions: both, nowMs: START_MS });
    assert.equal(step.revision?.action, 'renumber');
    assert.equal(step.revision?.update.metadata.name, old.metadata.name);
    assert.equal(step.revision?.update.revision, 3);
  });
});

test('a pod has its number in name, host name, labels and claims', () => {
  const owner = set(1, {
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  });
  const made = newStatefulPod(owner, owner.spec?.template ?? {}, 'db-abc', 7);
  assert.equal(made.metadata.name, 'db-7');
  assert.equal(made.spec?.hostname, 'db-7');
  assert.equal(made.spec?.subdomain, 'db');
  assert.deepEqual(made.metadata.labels, {
    app: 'db',
    'statefulset.kubernetes.io/pod-name': 'db-7',
    'apps.kubernetes.io/pod-index': '7',
    'controller-revision-hash': 'db-abc',
  });
  assert.deepEqual(made.spec?.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-7' } }]);
  assert.equal(claimsFor(owner, 7)[0]?.metadata.name, 'data-db-7');
});
