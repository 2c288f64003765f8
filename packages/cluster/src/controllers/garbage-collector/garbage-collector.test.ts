import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { ConfigMap, Deployment, KubeObject, Namespace } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  LEASES,
  NAMESPACES,
  NODES,
  PODS,
  REPLICA_SETS,
  type Resource,
  SECRETS,
} from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';

function web(namespace = 'default'): Deployment {
  return {
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'sample' }] },
      },
    },
  };
}

async function rollOut(cluster: TestCluster): Promise<void> {
  await cluster.create(DEPLOYMENTS, web());
  for (const pod of await cluster.pods(2)) await cluster.run(pod);
  await cluster.object<Deployment>(DEPLOYMENTS, 'web', ({ status }) => status?.availableReplicas === 2);
}

test('a deployment takes its replica sets and pods with it', async (t) => {
  const cluster = await startTestCluster(t);
  await rollOut(cluster);
  await cluster.client.delete(DEPLOYMENTS, 'web', { namespace: 'default' });
  await cluster.list(REPLICA_SETS, (sets) => sets.length === 0);
  await cluster.pods(0);
});

test('foreground: the owner stays until its dependents are gone', async (t) => {
  const cluster = await startTestCluster(t);
  await rollOut(cluster);
  const left = await cluster.client.delete(DEPLOYMENTS, 'web', {
    namespace: 'default',
    propagationPolicy: 'Foreground',
  });
  assert.deepEqual(left?.metadata.finalizers, ['foregroundDeletion']);
  await cluster.pods(0);
  await cluster.gone(DEPLOYMENTS, 'web');
  assert.equal((await cluster.client.list(REPLICA_SETS, { namespace: 'default' })).items.length, 0);
});

test('orphan: the dependents stay, without the owner', async (t) => {
  const cluster = await startTestCluster(t);
  await rollOut(cluster);
  await cluster.client.delete(DEPLOYMENTS, 'web', { namespace: 'default', propagationPolicy: 'Orphan' });
  await cluster.gone(DEPLOYMENTS, 'web');
  const [set] = await cluster.list(REPLICA_SETS, (sets) =>
    sets.every(({ metadata }) => (metadata.ownerReferences ?? []).length === 0),
  );
  assert.ok(set);
  await cluster.pods(2);
});

test('an owner that does not exist is verified before its dependent goes', async (t) => {
  const cluster = await startTestCluster(t);
  const owner = await cluster.create<ConfigMap>(CONFIG_MAPS, {
    metadata: { name: 'owner', namespace: 'default' },
  });
  const dependent = (name: string, uid: string | undefined): KubeObject => ({
    metadata: {
      name,
      namespace: 'default',
      ownerReferences: [
        {
          ...ownerReference(CONFIG_MAPS, owner),
          controller: false,
          ...(uid === undefined ? {} : { uid }),
        },
      ],
    },
  });
  await cluster.create(SECRETS, dependent('kept', undefined));
  await cluster.create(SECRETS, dependent('lost', 'of-a-former-owner'));
  await cluster.gone(SECRETS, 'lost');
  await cluster.object(SECRETS, 'kept', () => true);
  await cluster.client.delete(CONFIG_MAPS, 'owner', { namespace: 'default' });
  await cluster.gone(SECRETS, 'kept');
});

test('a cluster-scoped owner takes what it owns in any namespace with it', async (t) => {
  const cluster = await startTestCluster(t);
  const owner = await cluster.create<KubeObject>(NODES, { metadata: { name: 'n1' } });
  const ownerReferences = [{ ...ownerReference(NODES, owner), controller: false }];
  const lease = { metadata: { name: 'n1', namespace: 'kube-node-lease', ownerReferences } };
  await cluster.create(LEASES, lease);
  await cluster.client.delete(NODES, 'n1');
  await cluster.gone(LEASES, 'n1', 'kube-node-lease');
});

test('custom resources own and are owned as soon as they are defined', async (t) => {
  const cluster = await startTestCluster(t);
  const widgets: Resource = {
    group: 'example.org',
    version: 'v1',
    plural: 'widgets',
    kind: 'Widget',
    namespaced: true,
  };
  const definition: KubeObject & { readonly spec: unknown } = {
    metadata: { name: 'widgets.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
  await cluster.object<KubeObject & { status?: { conditions?: { type: string; status: string }[] } }>(
    CUSTOM_RESOURCE_DEFINITIONS,
    'widgets.example.org',
    ({ status }) => findCondition(status?.conditions, 'Established')?.status === 'True',
  );
  const owner = await cluster.create(widgets, { metadata: { name: 'w', namespace: 'default' } });
  const ownerReferences = [ownerReference(widgets, owner)];
  await cluster.create(PODS, {
    metadata: { name: 'p', namespace: 'default', ownerReferences },
    spec: { containers: [{ name: 'main', image: 'sample' }] },
  } as KubeObject);
  await cluster.client.delete(widgets, 'w', { namespace: 'default' });
  await cluster.gone(PODS, 'p');
});

test('a namespace goes with everything in it, and says what it waits for', async (t) => {
  const cluster = await startTestCluster(t);
  await cluster.create<Namespace>(NAMESPACES, { metadata: { name: 'shop' } });
  await cluster.create(DEPLOYMENTS, web('shop'));
  await cluster.pods(2, 'shop');
  const held: ConfigMap = { metadata: { name: 'held', namespace: 'shop', finalizers: ['example.org/hold'] } };
  await cluster.create(CONFIG_MAPS, held);
  await cluster.client.delete(NAMESPACES, 'shop');
  const waiting = await cluster.object<Namespace>(NAMESPACES, 'shop', ({ status }) => {
    const condition = findCondition(status?.conditions, 'NamespaceContentRemaining');
    return condition?.message === 'Some resources are remaining: configmaps. has 1 resource instances';
  });
  assert.equal(waiting.status?.phase, 'Terminating');
  assert.equal(
    findCondition(waiting.status?.conditions, 'NamespaceFinalizersRemaining')?.message,
    'Some content in the namespace has finalizers remaining: example.org/hold in 1 resource instances',
  );
  await cluster.client.patch(
    CONFIG_MAPS,
    'held',
    'merge',
    { metadata: { finalizers: null } },
    { namespace: 'shop' },
  );
  await cluster.gone(NAMESPACES, 'shop');
});
