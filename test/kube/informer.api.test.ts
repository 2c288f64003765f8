import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { createClient } from '@turnsole/kube/client/client';
import { loadKubeconfig } from '@turnsole/kube/client/config/kubeconfig';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { Controller, fromObjects } from '@turnsole/kube/runtime/controller';
import { Informer } from '@turnsole/kube/runtime/informer';
import { startApi } from '@turnsole/kube/testing/api';
import { startTcpProxy } from '@turnsole/kube/testing/tcp-proxy';

const namespace = 'default';

function configMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { metadata: { name, namespace, labels: { app: 'x' } }, data };
}

/** Resolves as soon as the condition holds after some change of the informer. */
function untilSeen(informer: Informer<ConfigMap>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!condition()) return;
      leave();
      resolve();
    };
    const leave = informer.addHandler({ onAdd: check, onUpdate: check, onDelete: check });
    check();
  });
}

async function truthOf(client: KubeClient): Promise<(string | undefined)[][]> {
  const { items } = await client.list<ConfigMap>(CONFIG_MAPS, { namespace, labelSelector: 'app=x' });
  return versionsOf(items);
}

function versionsOf(objects: readonly KubeObject[]): (string | undefined)[][] {
  return objects.map(({ metadata }) => [metadata.name, metadata.uid, metadata.resourceVersion]).sort();
}

test('over connections that break, the copy becomes equal to the server', async () => {
  await using api = await startApi(createApiServer);
  const path = api.server.adminConfig.socketPath;
  assert.ok(path !== undefined);
  await using proxy = await startTcpProxy({ path });
  const { socketPath: _, ...config } = api.server.adminConfig;
  const shaky = createClient({ ...config, server: `http://127.0.0.1:${proxy.port}` });
  const informer = new Informer<ConfigMap>({
    client: shaky,
    resource: CONFIG_MAPS,
    namespace,
    labelSelector: 'app=x',
    random: () => 0,
  });
  informer.start();
  await informer.whenSynced();
  for (let round = 0; round < 20; round++) {
    const name = `map-${round % 7}`;
    const writes: Promise<unknown>[] = [
      api.client
        .find(CONFIG_MAPS, name, { namespace })
        .then((found) =>
          found === undefined
            ? api.client.create(CONFIG_MAPS, configMap(name))
            : round % 3 === 0
              ? api.client.delete(CONFIG_MAPS, name, { namespace })
              : api.client.patch(
                  CONFIG_MAPS,
                  name,
                  'merge',
                  { data: { round: String(round) } },
                  { namespace },
                ),
        ),
    ];
    if (round % 4 === 1) proxy.cut();
    await Promise.all(writes);
    proxy.refuse(round % 6 === 2);
  }
  proxy.refuse(false);
  await api.client.create(CONFIG_MAPS, configMap('last'));
  await untilSeen(informer, () => informer.lister.get(`${namespace}/last`) !== undefined);
  assert.deepEqual(versionsOf(informer.lister.list()), await truthOf(api.client));
  await informer.stop();
  shaky.close();
});

test('a controller brings objects in order over TLS, from a kubeconfig', async () => {
  await using api = await startApi(createApiServer);
  const client = createClient(await loadKubeconfig({ path: api.server.kubeconfigPath }));
  const informer = new Informer<ConfigMap>({
    client,
    resource: CONFIG_MAPS,
    namespace,
    labelSelector: 'app=x',
  });
  const controller = new Controller({
    name: 'upper-case',
    sources: [fromObjects(informer)],
    workers: 3,
    reconcile: async ({ key, name }, signal) => {
      const seen = informer.lister.get(key);
      const wanted = seen?.data?.text?.toUpperCase();
      if (seen === undefined || wanted === undefined || seen.data?.upper === wanted) return;
      await client.patch(
        CONFIG_MAPS,
        name,
        'merge',
        { metadata: { resourceVersion: seen.metadata.resourceVersion }, data: { upper: wanted } },
        { namespace, signal },
      );
    },
  });
  informer.start();
  await controller.start();
  const names = Array.from({ length: 30 }, (_, index) => `map-${index}`);
  await Promise.all(names.map((name) => api.client.create(CONFIG_MAPS, configMap(name, { text: name }))));
  await untilSeen(
    informer,
    () => informer.lister.list().filter(({ data }) => data?.upper !== undefined).length === 30,
  );
  const { items } = await api.client.list<ConfigMap>(CONFIG_MAPS, { namespace, labelSelector: 'app=x' });
  assert.deepEqual(
    items.map(({ data }) => data?.upper).sort(),
    names.map((name) => name.toUpperCase()).sort(),
  );
  await controller.stop();
  await informer.stop();
  client.close();
});
