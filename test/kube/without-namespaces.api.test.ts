import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { withoutNamespaces } from '@turnsole/kube/client/without-namespaces';
import { CONFIG_MAPS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';

test('lists and watches of all namespaces leave some out; what is named, or asked of one namespace, is there', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  for (const name of ['a', 'b', 'c']) {
    await client.create(NAMESPACES, { metadata: { name } });
    await client.create(CONFIG_MAPS, { metadata: { name: 'one', labels: { x: 'y' } } }, { namespace: name });
  }
  const narrowed = withoutNamespaces(client, ['a', 'c']);
  const found = async (options: Parameters<typeof client.list>[1]): Promise<(string | undefined)[]> =>
    (await narrowed.list(CONFIG_MAPS, options)).items
      .filter(({ metadata }) => metadata.name === 'one')
      .map(({ metadata }) => metadata.namespace);
  assert.deepEqual(await found({}), ['b']);
  assert.deepEqual(await found({ labelSelector: 'x=y' }), ['b']);
  assert.deepEqual(await found({ fieldSelector: 'metadata.name!=two' }), ['b']);
  assert.deepEqual(await found({ namespace: 'a' }), ['a']);
  assert.deepEqual(await found({ fieldSelector: 'metadata.name=one' }), ['a', 'b', 'c']);
  const names = (await narrowed.list(NAMESPACES)).items.map(({ metadata }) => metadata.name);
  assert.ok(names.includes('a'), 'namespaces are in none');
  const end = AbortSignal.timeout(60_000);
  for await (const { type, object } of narrowed.watch(CONFIG_MAPS, { labelSelector: 'x=y', signal: end })) {
    assert.deepEqual([type, 'namespace' in object.metadata && object.metadata.namespace], ['ADDED', 'b']);
    break;
  }
});
