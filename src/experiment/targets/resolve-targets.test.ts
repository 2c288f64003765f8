import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS, type Resource } from '@turnsole/kube/kinds/resources';
import type { Fault } from '../injection/fault.ts';
import { compile, pod, randomOf } from '../injection/testing/builders.ts';
import { resolveTargets } from './resolve-targets.ts';

/** As much of a client as target selection uses. */
function clientWith(pods: readonly Pod[], nodes: readonly string[] | 'forbidden'): KubeClient {
  const part = {
    list: (resource: Resource) => Promise.resolve({ items: resource === PODS ? pods : [], metadata: {} }),
    find: (_resource: Resource, name: string) => {
      if (nodes !== 'forbidden')
        return Promise.resolve(nodes.includes(name) ? { metadata: { name } } : undefined);
      return Promise.reject(new ApiError('GET /api/v1/nodes', 403, { reason: 'Forbidden' }));
    },
  };
  // The rest is never called, and what is asked for decides on the types.
  return part as unknown as KubeClient;
}

async function resolve(
  targets: Fault['targets'],
  env: Record<string, string>,
  nodes: readonly string[] | 'forbidden' = ['n1'],
): Promise<string[]> {
  const { settings } = compile(env);
  const pods = [pod('dns', { namespace: 'kube-system' }), pod('web')];
  const client = clientWith(pods, nodes);
  const { signal } = new AbortController();
  const found = await resolveTargets({
    client,
    fault: { targets },
    settings,
    clock: systemClock,
    random: randomOf(0),
    signal,
  });
  return found.map(({ name }) => name);
}

const KUBE_SYSTEM = { TARGETS: 'pod:kube-system:[dns]' };

test('protected namespaces are refused with the setting that allows them', async () => {
  const message =
    'cannot select targets in namespace kube-system: protected by PROTECTED_NAMESPACES (kube-system); if kube-system is ' +
    'meant, set ALLOW_PROTECTED_NAMESPACES to kube-system in the env of the experiment in the ChaosEngine';
  for (const kind of ['pods', 'containers', 'none'] as const) {
    await assert.rejects(resolve(kind, KUBE_SYSTEM), { code: 'TARGET_SELECTION_ERROR', message });
  }
  await assert.rejects(
    resolve('pods', { TARGETS: 'pod:shop:[web];pod:db:[x]', PROTECTED_NAMESPACES: 'db,shop' }),
    /in namespaces shop, db: .* if shop, db are meant, set ALLOW_PROTECTED_NAMESPACES to shop,db in/,
  );
  await assert.rejects(
    resolve('pods', { TARGET_PODS: 'dns', CHAOS_NAMESPACE: 'kube-system' }),
    /namespace kube-system: protected/,
  );
});

test('protected namespaces can be asked for by name, and lists can be changed', async () => {
  assert.deepEqual(await resolve('pods', { ...KUBE_SYSTEM, ALLOW_PROTECTED_NAMESPACES: 'kube-system' }), [
    'dns',
  ]);
  assert.deepEqual(await resolve('pods', { ...KUBE_SYSTEM, PROTECTED_NAMESPACES: 'other' }), ['dns']);
  assert.deepEqual(await resolve('pods', { TARGETS: 'pod:shop:[web]' }), ['web']);
});

test('faults of nodes hit no namespace', async () => {
  assert.deepEqual(await resolve('node', { ...KUBE_SYSTEM, TARGET_NODE: 'n1' }), ['n1']);
});

test('named nodes must exist, as far as may be seen', async () => {
  await assert.rejects(resolve('nodes', { TARGET_NODES: 'n1,n2' }), /there is no node named n2/);
  assert.deepEqual(await resolve('nodes', { TARGET_NODES: 'n1,n2' }, 'forbidden'), ['n1', 'n2']);
});

test('who may not look at ReplicaSets can still hit pods, but no workloads', async () => {
  const forbidden = new ApiError('GET /apis/apps/v1/replicasets', 403, { reason: 'Forbidden' });
  const part = {
    list: (resource: Resource) =>
      resource === PODS
        ? Promise.resolve({ items: [pod('web', { owner: 'ReplicaSet/web-1' })], metadata: {} })
        : Promise.reject(forbidden),
  };
  const names = async (TARGETS: string): Promise<string[]> => {
    const { settings } = compile({ TARGETS });
    const { signal } = new AbortController();
    // Nothing else of it is called.
    const client = part as unknown as KubeClient;
    const found = await resolveTargets({
      client,
      fault: { targets: 'pods' },
      settings,
      clock: systemClock,
      random: randomOf(0),
      signal,
    });
    return found.map(({ name }) => name);
  };
  assert.deepEqual(await names('KIND:shop:[]'), ['web']);
  assert.deepEqual(await names('KIND:shop:[app=web]'), ['web']);
  assert.deepEqual(await names('pod:shop:[web]'), ['web']);
  await assert.rejects(names('deployment:shop:[app=web]'), /cannot list replicasets in namespace shop/);
  await assert.rejects(names('KIND:shop:[web]'), /cannot list replicasets in namespace shop/);
});
