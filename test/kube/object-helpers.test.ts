import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { ApiError, isConflict } from '@turnsole/kube/client/errors';
import type { ConfigMap, KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NODES } from '@turnsole/kube/kinds/resources';
import {
  hasFinalizer,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from '@turnsole/kube/runtime/finalizers';
import { controllerOf, isOwnedBy, ownerReference } from '@turnsole/kube/runtime/owner-references';
import { retryOnConflict } from '@turnsole/kube/runtime/retry-on-conflict';
import { startApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { WIDGETS } from '@turnsole/kube/testing/widgets';

const FINALIZER = 'turnsole.test/finalizer';
const namespace = 'default';

test('a list of finalizers is kept but for the one', () => {
  const object = (finalizers?: string[]): KubeObject => ({
    metadata: { name: 'x', ...(finalizers === undefined ? {} : { finalizers }) },
  });
  const rows: readonly [string[] | undefined, boolean, string[], string[]][] = [
    [undefined, false, ['f'], []],
    [['a'], false, ['a', 'f'], ['a']],
    [['f'], true, ['f'], []],
    [['a', 'f', 'b'], true, ['a', 'f', 'b'], ['a', 'b']],
  ];
  for (const [present, has, added, removed] of rows) {
    assert.equal(hasFinalizer(object(present), 'f'), has);
    assert.deepEqual(withFinalizer(object(present), 'f'), added);
    assert.deepEqual(withoutFinalizer(object(present), 'f'), removed);
  }
});

test('a finalizer is taken off, also when others write meanwhile', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const created = await client.create<ConfigMap>(CONFIG_MAPS, {
    metadata: { name: 'a', namespace, finalizers: ['other/one', FINALIZER] },
  });
  await client.patch(CONFIG_MAPS, 'a', 'merge', { data: { written: 'meanwhile' } }, { namespace });
  const without = await removeFinalizer(client, CONFIG_MAPS, created, FINALIZER);
  assert.deepEqual(without?.metadata.finalizers, ['other/one']);
  assert.equal(without?.data?.written, 'meanwhile');
  await client.delete(CONFIG_MAPS, 'a', { namespace });
  const still = await client.get<ConfigMap>(CONFIG_MAPS, 'a', { namespace });
  await removeFinalizer(client, CONFIG_MAPS, still, 'other/one');
  assert.equal(await client.find(CONFIG_MAPS, 'a', { namespace }), undefined);
  assert.equal(await removeFinalizer(client, CONFIG_MAPS, still, 'other/one'), undefined);
});

test('a recreated object is left alone', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const metadata = { name: 'a', namespace, finalizers: [FINALIZER] };
  const old = await client.create<ConfigMap>(CONFIG_MAPS, { metadata });
  await client.delete(CONFIG_MAPS, 'a', { namespace });
  await client.patch(CONFIG_MAPS, 'a', 'merge', { metadata: { finalizers: null } }, { namespace });
  await client.create<ConfigMap>(CONFIG_MAPS, { metadata });
  assert.equal(await removeFinalizer(client, CONFIG_MAPS, old, FINALIZER), undefined);
  const present = await client.get(CONFIG_MAPS, 'a', { namespace });
  assert.deepEqual(present.metadata.finalizers, [FINALIZER]);
});

test('a write that is overtaken is made again with what is there now', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  await client.create<ConfigMap>(CONFIG_MAPS, { metadata: { name: 'a', namespace }, data: { count: '0' } });
  const increment = (): Promise<ConfigMap> =>
    retryOnConflict(async () => {
      const map = await client.get<ConfigMap>(CONFIG_MAPS, 'a', { namespace });
      const count = String(Number(map.data?.count) + 1);
      return await client.update<ConfigMap>(CONFIG_MAPS, { ...map, data: { count } });
    });
  await Promise.all([increment(), increment(), increment(), increment()]);
  assert.equal((await client.get<ConfigMap>(CONFIG_MAPS, 'a', { namespace })).data?.count, '4');
});

test('a conflict that never ends is thrown, another failure at once', async () => {
  const clock = new FakeClock();
  let tries = 0;
  const failing = (error: Error): Promise<void> =>
    retryOnConflict(
      async () => {
        tries += 1;
        throw error;
      },
      { attempts: 3, clock, random: () => 0.5 },
    );
  const conflict = new ApiError('PUT', 409, { reason: 'Conflict' });
  const failed = assert.rejects(failing(conflict), isConflict);
  await clock.advance(1_000);
  await failed;
  assert.equal(tries, 3);
  await assert.rejects(failing(new Error('other')), /other/);
  assert.equal(tries, 4);
});

const engine = { metadata: { name: 'e', namespace: 'shop', uid: 'u1' } };

test('owner references: as the collector wants them', () => {
  assert.deepEqual(ownerReference(WIDGETS, engine), {
    apiVersion: 'example.com/v1alpha1',
    kind: 'Widget',
    name: 'e',
    uid: 'u1',
    controller: true,
    blockOwnerDeletion: true,
  });
  assert.throws(() => ownerReference(WIDGETS, { metadata: { name: 'e' } }), {
    name: 'TypeError',
    message: 'cannot refer to Widget e as owner: it has no uid; use the object as the server returned it',
  });
});

test('who manages an object, and who owns it', () => {
  const owner = { ...ownerReference(NODES, { metadata: { name: 'n', uid: 'u2' } }), controller: false };
  const pod: KubeObject = { metadata: { name: 'p', namespace: 'shop', ownerReferences: [owner] } };
  const ownerReferences = [owner, ownerReference(WIDGETS, engine)];
  const owned: KubeObject = { metadata: { ...pod.metadata, ownerReferences } };
  assert.equal(controllerOf(owned)?.uid, 'u1');
  assert.equal(controllerOf(pod), undefined);
  assert.equal(isOwnedBy(owned, engine), true);
  assert.equal(
    isOwnedBy(owned, { metadata: { name: 'e', uid: 'u9' } }),
    false,
    'a recreated owner is another one',
  );
});
