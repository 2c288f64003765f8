import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { pod } from '../../injection/testing/builders.ts';
import { recoveryProblem, wantedByReplicaSets } from './await-recovery.ts';
import { hasApplication, parseAuxiliary } from './check-health.ts';
import { unhealthyReason } from './judge-pods.ts';
import { wantedPods } from './workload-kinds.ts';

test('when an application is healthy', async (t) => {
  const cases: [string, Pod[], string | undefined][] = [
    ['all ready', [pod('a'), pod('b')], undefined],
    [
      'a container not ready',
      [pod('a'), pod('b', { ready: false })],
      'container app of pod shop/b is not ready',
    ],
    ['not running', [pod('a', { phase: 'Pending' })], 'pod shop/a is Pending'],
    ['failed', [pod('a'), pod('b', { phase: 'Failed' })], 'pod shop/b is Failed'],
    ['a finished Job beside it', [pod('a'), pod('job', { phase: 'Succeeded', ready: false })], undefined],
    ['one on its way out beside it', [pod('a'), pod('old', { deleting: true, ready: false })], undefined],
    ['no pod', [], 'no running pod found'],
    ['only finished pods', [pod('job', { phase: 'Succeeded' })], 'no running pod found'],
  ];
  for (const [name, pods, expected] of cases) {
    await t.test(name, () => assert.equal(unhealthyReason(pods), expected));
  }
});

test('why a container is not ready', () => {
  const one = pod('a', { ready: false });
  const [status] = one.status?.containerStatuses ?? [];
  if (status !== undefined) status.state = { waiting: { reason: 'CrashLoopBackOff' } };
  assert.equal(unhealthyReason([one]), 'container app of pod shop/a is not ready (CrashLoopBackOff)');
});

test('a sidecar counts like the other containers of its pod', () => {
  const one = pod('a');
  const [status] = one.status?.containerStatuses ?? [];
  assert.ok(status !== undefined && one.spec !== undefined && one.status !== undefined);
  one.spec.initContainers = [{ name: 'prepare' }, { name: 'proxy', restartPolicy: 'Always' }];
  const proxy = { ...status, name: 'proxy', ready: true };
  one.status.initContainerStatuses = [{ ...status, name: 'prepare', ready: false }, proxy];
  assert.equal(unhealthyReason([one]), undefined);
  proxy.ready = false;
  assert.equal(unhealthyReason([one]), 'container proxy of pod shop/a is not ready');
});

test('when a workload has recovered', async (t) => {
  const cases: [string, Pod[], number | undefined, string | undefined][] = [
    ['as many ready as wanted', [pod('a'), pod('b')], 2, undefined],
    ['not yet recreated', [pod('a')], 2, '1 of 2 pods are ready'],
    ['recreated but not ready', [pod('a'), pod('b', { ready: false })], 2, '1 of 2 pods are ready'],
    ['the old one does not count', [pod('a'), pod('b', { deleting: true })], 2, '1 of 2 pods are ready'],
    [
      'one too many that is not ready',
      [pod('a'), pod('b'), pod('c', { ready: false })],
      2,
      '1 of 3 pods are not ready',
    ],
    ['scaled to nothing', [], 0, undefined],
    ['a failed pod that was replaced', [pod('a'), pod('x', { phase: 'Failed', ready: false })], 1, undefined],
    ['number unknown, all ready', [pod('a')], undefined, undefined],
    ['number unknown, nothing there', [], undefined, '0 of 1 pods are ready'],
  ];
  for (const [name, pods, wanted, expected] of cases) {
    await t.test(name, () => assert.equal(recoveryProblem(pods, wanted), expected));
  }
});

test('how many pods a workload wants', () => {
  const workload = (rest: object): KubeObject => ({ metadata: { name: 'w' }, ...rest });
  assert.equal(wantedPods(workload({ spec: { replicas: 3 } })), 3);
  assert.equal(wantedPods(workload({ spec: {}, status: { desiredNumberScheduled: 2 } })), 2);
  assert.equal(wantedPods(workload({ spec: { replicas: 0 } })), 0);
  assert.equal(wantedPods(workload({})), undefined);
});

test('how many pods a deployment wants that may not be read', () => {
  const set = (name: string, owner: string, replicas: number): [string, KubeObject] => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: owner, uid: 'u' }];
    const object = { metadata: { name, ownerReferences }, spec: { replicas } };
    return [name, object];
  };
  const replicaSets = new Map([set('a', 'web', 0), set('b', 'web', 2), set('c', 'other', 5)]);
  const observed = { replicaSets, replicationControllers: new Map() };
  assert.equal(wantedByReplicaSets({ kind: 'deployment', name: 'web' }, observed), 2);
  assert.equal(wantedByReplicaSets({ kind: 'statefulset', name: 'web' }, observed), undefined);
});

test('what is checked', () => {
  const entry = (kind: string) => ({ kind, namespace: 'a', names: [], selector: undefined });
  assert.deepEqual(
    [[], [entry('KIND')], [entry('deployment')], [entry('KIND'), entry('pod')]].map(hasApplication),
    [false, false, true, true],
  );
  assert.deepEqual(parseAuxiliary('shop:app=web, db:tier=a:b,nonsense,:x'), [
    { namespace: 'shop', selector: 'app=web' },
    { namespace: 'db', selector: 'tier=a:b' },
  ]);
});
