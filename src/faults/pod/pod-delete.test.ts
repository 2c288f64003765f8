import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS } from '@turnsole/kube/kinds/resources';
import { changedClient } from '@turnsole/kube/testing/changed-client';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import type { FaultContext, Injection } from '../../experiment/injection/fault.ts';
import { faultRegistry, validateFaultEnv } from '../index.ts';
import podDelete from './pod-delete.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});
function context(recoveryTimeoutMs = 20_000): FaultContext {
  return {
    client: cluster.client,
    clock: systemClock,
    random: () => 0,
    signal: new AbortController().signal,
    recoveryTimeoutMs,
    note: () => {},
  };
}

function injectionOf(pod: Pod, force = true): Injection {
  const { name, namespace = '', uid = '' } = pod.metadata;
  const owner = { kind: 'deployment', name: 'web' };
  return { id: name, target: { kind: 'pod', name, namespace, uid, owner }, parameters: { force } };
}

test('exactly the incarnation that was chosen is deleted, and deleting again changes nothing', async () => {
  const namespace = await cluster.namespace();
  const [pod] = await cluster.deployment(namespace, 'web', 1);
  assert.ok(pod !== undefined);
  const other = injectionOf({ ...pod, metadata: { ...pod.metadata, uid: 'another' } });
  await podDelete.inject(other, context());
  assert.equal(
    (await cluster.client.find<Pod>(PODS, pod.metadata.name, { namespace }))?.metadata.uid,
    pod.metadata.uid,
  );
  await podDelete.inject(injectionOf(pod), context());
  assert.equal(await cluster.client.find<Pod>(PODS, pod.metadata.name, { namespace }), undefined);
  await podDelete.inject(injectionOf(pod), context());
});

test('settling waits until the workload has as many ready pods as it wants', async () => {
  const namespace = await cluster.namespace();
  const pods = await cluster.deployment(namespace, 'web', 3);
  const injections = pods.map((pod) => injectionOf(pod));
  for (const injection of injections) await podDelete.inject(injection, context());
  await podDelete.settle?.(injections, context());
  const now = await cluster.client.list<Pod>(PODS, { namespace, labelSelector: 'app=web' });
  assert.equal(now.items.filter(({ status }) => status?.phase === 'Running').length, 3);
});

test('settling does without the permission to read workloads, which hitting pods does not need', async () => {
  const namespace = await cluster.namespace();
  const pods = await cluster.deployment(namespace, 'web', 2);
  const [first] = pods;
  assert.ok(first !== undefined);
  await podDelete.inject(injectionOf(first), context());
  const forbidden: KubeClient['find'] = async (resource, name, options) => {
    if (resource.plural !== 'deployments') return cluster.client.find(resource, name, options);
    throw new ApiError(`GET ${name}`, 403, { code: 403, reason: 'Forbidden', message: 'no' });
  };
  const narrow = { ...context(), client: changedClient(cluster.client, { find: forbidden }) };
  await podDelete.settle?.([injectionOf(first)], narrow);
  assert.equal((await cluster.readyPods(namespace, 'web', 2)).length, 2);
});

test('a workload that does not recover is named with what is missing; one that is gone fails at once', async () => {
  const namespace = await cluster.namespace();
  const [pod] = await cluster.deployment(namespace, 'web', 1);
  assert.ok(pod !== undefined);
  const stuck = { phase: 'Pending', containerStatuses: [] };
  await cluster.client.patch(
    PODS,
    pod.metadata.name,
    'merge',
    { status: stuck },
    { namespace, subresource: 'status' },
  );
  await assert.rejects(async () => podDelete.settle?.([injectionOf(pod)], context(100)), {
    code: 'STATUS_CHECKS_ERROR',
    message: `deployment ${namespace}/web has not recovered after 0.1 s: 0 of 1 pods are ready; look at its pods, or raise STATUS_CHECK_TIMEOUT`,
  });
  await cluster.client.delete(DEPLOYMENTS, 'web', { namespace });
  await assert.rejects(async () => podDelete.settle?.([injectionOf(pod)], context()), {
    message: `deployment ${namespace}/web cannot recover: it was deleted meanwhile`,
  });
});

test('the history names the workload', () => {
  const owner = { kind: 'statefulset', name: 'db' };
  const injection = { id: 'x', target: { kind: 'pod', name: 'db-0', owner }, parameters: {} };
  assert.deepEqual(podDelete.historyTarget?.(injection), owner);
});

test('every fault of the registry is what its name says', async () => {
  for (const [name, load] of faultRegistry) {
    const fault = await load();
    assert.equal(fault.name, name);
    assert.match(fault.summary, /^[A-Z].*\.$/);
    // Without anything set, only what is required may be missing.
    const problems = (await validateFaultEnv(name, {})) ?? [];
    for (const { variable } of problems) assert.equal(fault.tunables[variable]?.required, true, variable);
  }
  assert.equal(await validateFaultEnv('no-such-fault', {}), undefined);
  assert.deepEqual(await validateFaultEnv('pod-delete', { FORCE: 'no way' }), [
    { variable: 'FORCE', found: 'no way', expected: 'true or false' },
  ]);
});
