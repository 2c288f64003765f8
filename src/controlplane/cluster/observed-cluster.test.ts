import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { HistoryServer } from '@turnsole/kube/testing/history-server';
import { ObservedCluster } from './observed-cluster.ts';
import { listObjects } from './watch-objects.ts';

const { signal } = new AbortController();

function observe(list?: KubeClient['list']) {
  const server = new HistoryServer();
  const clock = new FakeClock();
  const client = list === undefined ? server.client : { ...server.client, list };
  const cluster = new ObservedCluster(client as KubeClient, 'cluster', clock, silentLogger);
  return { server, clock, cluster };
}

test('a list does not wait for kinds that the cluster does not serve', async () => {
  const { server, clock, cluster } = observe();
  server.put('found');
  server.failures.list.push(...Array.from({ length: 4 }, () => new ApiError('GET', 404, {})));
  cluster.start();
  const objects = await listObjects(cluster, {}, signal);
  assert.deepEqual(
    objects.map(({ name }) => name),
    ['found'],
  );
  await cluster.stop();
  assert.equal(clock.pending, 0);
});

test('where the API server says nothing, a list is an error and not empty', async () => {
  const never: KubeClient['list'] = (_, options) =>
    new Promise((_resolve, reject) => {
      options?.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  const { clock, cluster } = observe(never);
  cluster.start();
  const listed = listObjects(cluster, {}, signal);
  listed.catch(() => {});
  await clock.advance(10_000);
  await assert.rejects(listed, {
    code: 'unavailable',
    message: 'the API server of the cluster has not answered yet; try again in a moment',
  });
  const stop = new AbortController();
  const left = listObjects(cluster, {}, stop.signal);
  stop.abort(new Error('the reader left'));
  await assert.rejects(left, { message: 'the reader left' });
  await assert.rejects(listObjects(cluster, {}, stop.signal), { message: 'the reader left' });
  await cluster.stop();
  assert.equal(clock.pending, 0);
});
