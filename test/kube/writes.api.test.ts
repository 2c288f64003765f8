import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { isConflict } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { claim } from '@turnsole/kube/controllers/claim';
import { type ControllerContext, createContext } from '@turnsole/kube/controllers/context';
import { BY_CONTROLLER, InformerFactory } from '@turnsole/kube/controllers/informers';
import type { ConfigMap, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS, SERVICE_ACCOUNTS, SERVICES } from '@turnsole/kube/kinds/resources';
import { ownerReference, silentLogger, systemClock } from '@turnsole/kube/runtime/index';
import { startApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';

const namespace = 'default';
const never = new AbortController().signal;

/** A context whose watch never reports: whatever its views show beyond the first list, this process has written. */
function deafContext(client: KubeClient): ControllerContext {
  const common = { clock: systemClock, random: Math.random, logger: silentLogger };
  const deaf: Pick<KubeClient, 'list' | 'watch'> = {
    list: (resource, options) => client.list(resource, options),
    // oxlint-disable-next-line require-yield -- It reports nothing until it is aborted, and then it ends.
    watch: async function* (_, options) {
      const { promise, resolve } = Promise.withResolvers<void>();
      options?.signal?.addEventListener('abort', () => resolve(), { once: true });
      await promise;
    },
  };
  const informers = new InformerFactory({ client: deaf, ...common });
  return createContext({ client, informers, ...common });
}

test('a written object is read again before the watch reports it', async () => {
  await using api = await startApi(createApiServer);
  const context = deafContext(api.client);
  const { writer, informers } = context;
  const view = informers.view<ConfigMap>(CONFIG_MAPS);
  informers.start();
  await view.informer.whenSynced(AbortSignal.timeout(PATIENCE_MS));
  const made = await writer.create<ConfigMap>(
    CONFIG_MAPS,
    { metadata: { name: 'a', namespace }, data: { n: '1' } },
    never,
  );
  assert.equal(view.informer.lister.get('default/a'), undefined, 'the watch has not told');
  assert.deepEqual(view.get('default/a')?.metadata.uid, made.metadata.uid);
  // The cluster has config maps of its own, in other namespaces.
  const own = () => view.list().filter(({ metadata }) => metadata.namespace === namespace);
  const changed = await writer.patch<ConfigMap>(CONFIG_MAPS, made, 'merge', { data: { n: '2' } }, never);
  assert.deepEqual(
    own().map(({ data }) => data),
    [{ n: '2' }],
  );
  await assert.rejects(writer.update(CONFIG_MAPS, made, never), isConflict);
  await writer.delete(CONFIG_MAPS, changed, never);
  assert.deepEqual(own(), []);
  await writer.delete(CONFIG_MAPS, changed, never);
  await informers.stop();
});

test('a status is written when it says something else', async () => {
  await using api = await startApi(createApiServer);
  const { writer } = deafContext(api.client);
  await api.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace } });
  const pod = await api.client.create<Pod>(PODS, {
    metadata: { name: 'p', namespace },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  });
  assert.equal(await writer.setStatus<Pod>(PODS, pod, { ...pod.status, conditions: [] }, never), false);
  assert.equal(await writer.setStatus<Pod>(PODS, pod, { ...pod.status, message: 'told' }, never), true);
  assert.equal((await api.client.get<Pod>(PODS, 'p', { namespace })).status?.message, 'told');
});

test('an owner takes what matches and is free, lets go what no longer does, and leaves the rest', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const context = deafContext(client);
  const owner = await client.create<KubeObject>(SERVICES, {
    ...{ metadata: { name: 'owner', namespace }, spec: { ports: [{ port: 80 }] } },
  });
  const mine = [ownerReference(SERVICES, owner)];
  const theirs = [ownerReference(SERVICES, { metadata: { name: 'other', uid: 'u-other' } })];
  const rows: readonly [string, string, typeof mine | undefined][] = [
    ['free', 'web', undefined],
    ['kept', 'web', mine],
    ['released', 'api', mine],
    ['foreign', 'web', theirs],
    ['unrelated', 'api', undefined],
  ];
  for (const [name, app, ownerReferences] of rows) {
    const references = ownerReferences === undefined ? {} : { ownerReferences };
    await client.create(CONFIG_MAPS, { metadata: { name, namespace, labels: { app }, ...references } });
  }
  const view = context.informers.view(CONFIG_MAPS);
  context.informers.start();
  await view.informer.whenSynced(AbortSignal.timeout(PATIENCE_MS));
  const selector = { matchLabels: { app: 'web' } };
  const request = { owner, ownerResource: SERVICES, selector, resource: CONFIG_MAPS };
  const names = (objects: readonly KubeObject[]): string[] =>
    objects.map(({ metadata }) => metadata.name).sort();
  assert.deepEqual(names(await claim(context, request, never)), ['free', 'kept']);
  assert.deepEqual(names(view.byIndex(BY_CONTROLLER, owner.metadata.uid ?? '')), ['free', 'kept']);
  const controllers = await Promise.all(
    rows.map(async ([name]) => {
      const { metadata } = await client.get(CONFIG_MAPS, name, { namespace });
      return metadata.ownerReferences?.[0]?.name;
    }),
  );
  assert.deepEqual(controllers, ['owner', 'owner', undefined, 'other', undefined]);
  await context.informers.stop();
});
