import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMap, KubeObject } from '../../api/core.ts';
import { CHAOS_ENGINES, CONFIG_MAPS, NODES, PODS } from '../../api/resources.ts';
import { createApiServer } from '../../local/apiserver/index.ts';
import { ApiError, isConflict } from '../client/errors.ts';
import { startApi } from '../testing/api.ts';
import { FakeClock } from './fake-clock.ts';
import { addFinalizer, addFinalizerPatch, removeFinalizer, removeFinalizerPatch } from './finalizers.ts';
import {
  AlreadyOwnedError,
  controllerOf,
  isOwnedBy,
  ownerReference,
  withController,
} from './owner-references.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const FINALIZER = 'turnsole.test/finalizer';
const namespace = 'default';

test('finalizer patches say the version they are meant for', () => {
  const object = (finalizers?: string[], deletionTimestamp?: string): KubeObject => ({
    metadata: {
      name: 'x',
      resourceVersion: '7',
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  });
  const version = { op: 'test', path: '/metadata/resourceVersion', value: '7' };
  const table: readonly [string, unknown, unknown][] = [
    [
      'add the first',
      addFinalizerPatch(object(), 'f'),
      [version, { op: 'add', path: '/metadata/finalizers', value: ['f'] }],
    ],
    [
      'add another',
      addFinalizerPatch(object(['a']), 'f'),
      [version, { op: 'add', path: '/metadata/finalizers/-', value: 'f' }],
    ],
    ['add what is there', addFinalizerPatch(object(['f']), 'f'), undefined],
    ['add while being deleted', addFinalizerPatch(object([], 'now'), 'f'), undefined],
    [
      'remove',
      removeFinalizerPatch(object(['a', 'f', 'b']), 'f'),
      [version, { op: 'remove', path: '/metadata/finalizers/1' }],
    ],
    ['remove what is not there', removeFinalizerPatch(object(['a']), 'f'), undefined],
  ];
  for (const [name, patch, expected] of table) assert.deepEqual(patch, expected, name);
});

test('finalizers: stored before, taken off after, also when others write meanwhile', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const created = await client.create<ConfigMap>(CONFIG_MAPS, {
    metadata: { name: 'a', namespace, finalizers: ['other/one'] },
  });
  await client.patch(CONFIG_MAPS, 'a', 'merge', { data: { written: 'meanwhile' } }, { namespace });
  const held = await addFinalizer(client, CONFIG_MAPS, created, FINALIZER);
  assert.deepEqual(held?.metadata.finalizers, ['other/one', FINALIZER]);
  assert.equal(held?.data?.written, 'meanwhile');
  await client.delete(CONFIG_MAPS, 'a', { namespace });
  const still = await client.get<ConfigMap>(CONFIG_MAPS, 'a', { namespace });
  const without = await removeFinalizer(client, CONFIG_MAPS, still, FINALIZER);
  assert.deepEqual(without?.metadata.finalizers, ['other/one']);
  assert.equal(
    await addFinalizer(client, CONFIG_MAPS, still, 'late/one'),
    undefined,
    'nothing is begun for what is being deleted',
  );
  await removeFinalizer(client, CONFIG_MAPS, still, 'other/one');
  assert.equal(await client.find(CONFIG_MAPS, 'a', { namespace }), undefined);
  assert.equal(await removeFinalizer(client, CONFIG_MAPS, still, 'other/one'), undefined);
});

test('a recreated object is left alone', async () => {
  await using api = await startApi(createApiServer);
  const old = await api.client.create<ConfigMap>(CONFIG_MAPS, { metadata: { name: 'a', namespace } });
  await api.client.delete(CONFIG_MAPS, 'a', { namespace });
  await api.client.create<ConfigMap>(CONFIG_MAPS, { metadata: { name: 'a', namespace } });
  assert.equal(await addFinalizer(api.client, CONFIG_MAPS, old, FINALIZER), undefined);
  assert.equal((await api.client.get(CONFIG_MAPS, 'a', { namespace })).metadata.finalizers, undefined);
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
  assert.deepEqual(ownerReference(CHAOS_ENGINES, engine), {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    name: 'e',
    uid: 'u1',
    controller: true,
    blockOwnerDeletion: true,
  });
  assert.throws(() => ownerReference(CHAOS_ENGINES, { metadata: { name: 'e' } }), {
    name: 'TypeError',
    message:
      'cannot refer to ChaosEngine e as owner: it has no uid; use the object as the server returned it',
  });
});

test('an object gets one controller, keeps its other owners, and is not taken from another', () => {
  const owner = ownerReference(NODES, { metadata: { name: 'n', uid: 'u2' } }, { controller: false });
  const pod: KubeObject = { metadata: { name: 'p', namespace: 'shop', ownerReferences: [owner] } };
  const owned = {
    metadata: { ...pod.metadata, ownerReferences: withController(pod, CHAOS_ENGINES, engine) },
  };
  assert.deepEqual(owned.metadata.ownerReferences, [owner, ownerReference(CHAOS_ENGINES, engine)]);
  assert.deepEqual(withController(owned, CHAOS_ENGINES, engine), owned.metadata.ownerReferences);
  assert.equal(controllerOf(owned)?.uid, 'u1');
  assert.equal(controllerOf(pod), undefined);
  assert.equal(isOwnedBy(owned, engine), true);
  assert.equal(
    isOwnedBy(owned, { metadata: { name: 'e', uid: 'u9' } }),
    false,
    'a recreated owner is another one',
  );
  assert.throws(
    () => withController(owned, PODS, { metadata: { name: 'x', namespace: 'shop', uid: 'u3' } }),
    (error: Error) => {
      assert.ok(error instanceof AlreadyOwnedError);
      assert.equal(
        error.message,
        'cannot make Pod x the controller of shop/p: ChaosEngine e (uid u1) already is; remove one of the two',
      );
      return true;
    },
  );
  assert.throws(
    () => withController(pod, CHAOS_ENGINES, { metadata: { name: 'e', namespace: 'other', uid: 'u1' } }),
    /an owner must be in the same namespace or cluster-scoped/,
  );
});
