/** Applying, against the embedded API server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { applyObject, outcomeOf } from '@turnsole/kube/apply/apply-object';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Deployment, KubeObject, Service } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS, SERVICES } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';

const namespace = 'default';

function settings(data: Readonly<Record<string, string>>, metadata: object = {}): KubeObject {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', ...metadata }, data };
  return object;
}

const apply = (client: KubeClient, object: KubeObject) =>
  applyObject(client, CONFIG_MAPS, object, { namespace, fieldManager: 'test' });

test('an object that is applied again and again', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const stored = () => client.get<ConfigMap>(CONFIG_MAPS, 'settings', { namespace });

  const first = await apply(client, settings({ a: '1', b: '2' }));
  assert.equal(outcomeOf(first), 'created');
  assert.equal(outcomeOf(await apply(client, settings({ a: '1', b: '2' }))), 'unchanged');

  await client.patch(CONFIG_MAPS, 'settings', 'merge', { data: { a: 'theirs', c: 'theirs' } }, { namespace });
  assert.equal(outcomeOf(await apply(client, settings({ a: '1' }))), 'changed');
  // a is taken back, b is named no more, c is of others.
  assert.deepEqual((await stored()).data, { a: '1', c: 'theirs' });
});

test('an object that was taken from a cluster is applied as if it were written by hand', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const { after } = await apply(client, settings({ a: '1' }));
  await client.delete(CONFIG_MAPS, 'settings', { namespace });
  const { uid, managedFields, creationTimestamp } = after.metadata;
  assert.ok(uid !== undefined && managedFields !== undefined);
  const again = await apply(
    client,
    settings({ a: '1' }, { uid, managedFields, creationTimestamp, labels: null }),
  );
  assert.equal(outcomeOf(again), 'created');
  assert.notEqual(again.after.metadata.uid, uid);
});

test('an object that another client makes while it is applied is not taken for the own', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  /** The other client is quicker than the apply that follows the look. */
  const raced = new Proxy(client, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key, target);
      if (typeof method !== 'function') return method;
      if (key !== 'find') return method.bind(target);
      return async (...args: Parameters<KubeClient['find']>) => {
        const found = await target.find(...args);
        await target.create(CONFIG_MAPS, settings({ c: 'theirs' }), { namespace });
        return found;
      };
    },
  });
  const applied = await apply(raced, settings({ a: '1' }));
  assert.equal(applied.created, false);
  assert.equal(outcomeOf(applied), 'changed');
});

test('a list with two entries of one key, which server-side apply refuses, is written as any client writes it', async () => {
  await using api = await startApi(createApiServer);
  const deployment = (replicas: number): KubeObject => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'x', env }] },
    };
    const spec = { replicas, selector: { matchLabels: { app: 'a' } }, template };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec };
    return object;
  };
  const options = { namespace, fieldManager: 'test' };
  const first = await applyObject(api.client, DEPLOYMENTS, deployment(1), options);
  assert.equal(outcomeOf(first), 'created');
  const second = await applyObject(api.client, DEPLOYMENTS, deployment(2), options);
  assert.equal(outcomeOf(second), 'changed');
  const stored = await api.client.get<Deployment>(DEPLOYMENTS, 'a', { namespace });
  assert.equal(stored.spec?.replicas, 2);
  assert.equal(stored.spec?.template?.spec?.containers[0]?.env?.length, 2);
});

test('a port that leaves its protocol to the default, which servers up to 1.20 do not apply, is written as any client writes it', async () => {
  await using api = await startApi(createApiServer);
  /** Answers an apply as kube-apiserver 1.20 does. */
  const older = new Proxy(api.client, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key, target);
      if (typeof method !== 'function') return method;
      if (key !== 'patch') return method.bind(target);
      return async (...args: Parameters<KubeClient['patch']>) => {
        if (args[2] !== 'apply') return target.patch(...args);
        const message =
          'failed to create typed patch object: .spec.ports: element 0: associative list with keys has an element that omits key field "protocol" (and doesn\'t have default value)';
        throw new ApiError('PATCH services/s', 500, { code: 500, reason: 'InternalError', message });
      };
    },
  });
  const service = (port: number): KubeObject => {
    const object = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port }] },
    };
    return object;
  };
  const options = { namespace, fieldManager: 'test' };
  assert.equal(outcomeOf(await applyObject(older, SERVICES, service(80), options)), 'created');
  assert.equal(outcomeOf(await applyObject(older, SERVICES, service(81), options)), 'changed');
  const stored = await api.client.get<Service>(SERVICES, 's', { namespace });
  assert.deepEqual(
    stored.spec?.ports?.map(({ port, protocol }) => ({ port, protocol })),
    [{ port: 81, protocol: 'TCP' }],
  );
});
