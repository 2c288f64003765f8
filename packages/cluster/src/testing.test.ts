import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { ConfigMap, Namespace } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { shareCluster, useCluster } from './testing.ts';

const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };

test('callers in one process share a cluster, have a namespace each, and the last one closes it', async () => {
  const both = await Promise.all([useCluster({ simulated: true }), useCluster()]);
  await using one = both[0];
  await using two = both[1];
  assert.equal(one.kubeconfig, two.kubeconfig);
  let deleted = '';
  {
    await using first = await one.namespace();
    await using second = await two.namespace();
    assert.notEqual(first.name, second.name);
    await first.apply(MAP);
    const { metadata } =
      (await first.waitFor<ConfigMap>(CONFIG_MAPS, 'settings', (map) => map !== undefined)) ?? MAP;
    assert.deepEqual(metadata, { ...metadata, namespace: first.name });
    const others = await second.client.list<ConfigMap>(CONFIG_MAPS, { namespace: second.name });
    assert.ok(!others.items.some((map) => map.metadata.name === 'settings'));
    deleted = first.name;
  }
  await two.waitFor<Namespace>(NAMESPACES, deleted, (namespace) => namespace === undefined);
  await one.close();
  await one.close();
  assert.ok((await two.client.list(NAMESPACES)).items.length > 0, 'the other one still uses it');
  await two.close();
  await using next = await useCluster({ simulated: true });
  assert.notEqual(next.kubeconfig, one.kubeconfig);
});

test('processes that are started after a cluster was shared use it, and leave it', async () => {
  await using cluster = await shareCluster({ simulated: true });
  const program = `
    import { useCluster } from ${JSON.stringify(import.meta.resolve('@turnsole/cluster/testing'))};
    const cluster = await useCluster();
    const space = await cluster.namespace();
    await space.apply(${JSON.stringify(MAP)});
    await cluster.close();
    console.log(space.name);`;
  const run = async (): Promise<string> =>
    (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])).stdout.trim();
  const names = await Promise.all([run(), run()]);
  const maps = await cluster.client.list<ConfigMap>(CONFIG_MAPS, {});
  for (const name of names) {
    assert.ok(maps.items.some(({ metadata }) => metadata.name === 'settings' && metadata.namespace === name));
  }
});
