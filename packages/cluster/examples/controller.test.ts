/** A controller is tested on a cluster that the tests of this process share, each in a namespace of its own. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { useCluster } from '@turnsole/cluster/testing';
import {
  CONFIG_MAPS,
  type ConfigMap,
  Controller,
  fromObjects,
  Informer,
  type KubeClient,
} from '@turnsole/kube';

const COUNT = 'example.com/keys';

/** The controller: an annotation of each ConfigMap says how many keys it has. */
async function countKeys(client: KubeClient, namespace: string): Promise<AsyncDisposable> {
  const maps = new Informer<ConfigMap>({ client, resource: CONFIG_MAPS, namespace });
  const controller = new Controller({
    name: 'keys',
    sources: [fromObjects(maps)],
    reconcile: async ({ key, name }) => {
      const map = maps.lister.get(key);
      const count = String(Object.keys(map?.data ?? {}).length);
      if (map === undefined || map.metadata.annotations?.[COUNT] === count) return;
      const metadata = { annotations: { [COUNT]: count } };
      await client.patch(CONFIG_MAPS, name, 'merge', { metadata }, { namespace });
    },
  });
  const stop = new AbortController();
  maps.start();
  await controller.start(stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await controller.stop();
      await maps.stop();
    },
  };
}

const cluster = await useCluster({ simulated: true });
after(() => cluster.close());

test('keys are counted, also after a change', async () => {
  await using space = await cluster.namespace();
  await using _ = await countKeys(space.client, space.name);
  const settings = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    data,
  });
  for (const [data, count] of [
    [{ a: '1', b: '2' }, '2'],
    [{ a: '1' }, '1'],
  ] as const) {
    await space.apply(settings(data));
    const isCounted = (map?: ConfigMap): boolean => map?.metadata.annotations?.[COUNT] === count;
    const map = await space.waitFor<ConfigMap>(CONFIG_MAPS, 'settings', isCounted);
    assert.equal(Object.keys(map?.data ?? {}).length, Number(count));
  }
});
