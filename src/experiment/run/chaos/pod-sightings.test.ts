import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient, WatchEvent } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PodSightings } from './pod-sightings.ts';

const TARGET = { kind: 'pod', namespace: 'shop', name: 'web-1' };

function pod(name: string, isReady = true, own: Partial<Pod['metadata']> = {}): Pod {
  const status = { phase: 'Running', containerStatuses: [{ name: 'web', ready: isReady, restartCount: 0 }] };
  // Test data: written as it is.
  return {
    metadata: { name, namespace: 'shop', uid: name, ...own },
    spec: { containers: [{ name: 'web' }] },
    status,
  } as unknown as Pod;
}

/** A world whose watches do what is said, one after the other. */
function world(...watches: readonly (() => AsyncIterable<WatchEvent<Pod>>)[]) {
  const notes: string[] = [];
  const asked: unknown[] = [];
  const stop = new AbortController();
  const clock = new FakeClock();
  const watch = (
    _resource: unknown,
    options: { readonly fieldSelector?: string },
  ): AsyncIterable<WatchEvent<Pod>> => {
    asked.push(options.fieldSelector);
    const next = watches[asked.length - 1];
    assert.ok(next !== undefined, 'there is one watch too many');
    return next();
  };
  const pods = new PodSightings({
    client: { watch } as unknown as Pick<KubeClient, 'watch'>,
    clock,
    signal: stop.signal,
    note: (step, object) => notes.push(`${step} ${object}`),
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { pods, notes, asked, stop, clock, settled };
}

function forbidden(): AsyncIterable<never> {
  const refused = new ApiError('GET /api/v1/pods', 403, { reason: 'Forbidden', message: 'no' } as never);
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(refused) }) };
}

test('a pod is watched from when it was chosen, and again when its watch ends', async () => {
  const { pods, notes, asked, stop, clock, settled } = world(
    async function* () {
      yield { type: 'ADDED', object: pod('web-1') };
      yield { type: 'MODIFIED', object: pod('web-1', false) };
    },
    async function* () {
      yield { type: 'DELETED', object: pod('web-1') };
      stop.abort();
    },
  );
  pods.follow([TARGET, TARGET, { kind: 'node', name: 'n' }], [pod('web-1')]);
  await settled();
  assert.deepEqual(notes, ['PodReady pod/shop/web-1', 'PodNotReady pod/shop/web-1']);
  await clock.advance(1_000);
  assert.deepEqual(notes.slice(2), ['PodGone pod/shop/web-1']);
  assert.deepEqual(asked, ['metadata.name=web-1', 'metadata.name=web-1']);
});

test('where pods may not be watched, what the fault sees is reported', async () => {
  const { pods, notes, asked, clock, settled } = world(forbidden);
  pods.follow([TARGET], []);
  await settled();
  await clock.advance(10_000);
  assert.deepEqual([notes, asked.length], [[], 1]);
  pods.all('elsewhere', []);
  pods.all('shop', [pod('web-1', false), pod('web-2')]);
  pods.all('shop', [pod('web-2')]);
  pods.one({ namespace: 'shop', name: 'web-2' }, pod('web-2'));
  pods.one(TARGET, pod('web-1', true, { uid: 'another' }));
  assert.deepEqual(notes, [
    'PodNotReady pod/shop/web-1',
    'PodGone pod/shop/web-1',
    'PodReady pod/shop/web-1',
  ]);
});

test('a pod that a list has shown to be gone is not raised by what the watch reports later', async () => {
  const late = Promise.withResolvers<void>();
  const { pods, notes, settled } = world(async function* () {
    yield { type: 'ADDED', object: pod('web-1', true, { resourceVersion: '5' }) };
    await late.promise;
    const deleted = { resourceVersion: '6', deletionTimestamp: '2026-01-01T00:00:00Z' };
    yield { type: 'MODIFIED', object: pod('web-1', false, deleted) };
    yield { type: 'DELETED', object: pod('web-1', false, { ...deleted, resourceVersion: '7' }) };
    await new Promise(() => {});
  });
  pods.follow([TARGET], []);
  await settled();
  pods.all('shop', []);
  late.resolve();
  await settled();
  assert.deepEqual(notes, ['PodReady pod/shop/web-1', 'PodGone pod/shop/web-1']);
});

test('sightings of pods after the end are not noted', async () => {
  const { pods, notes, stop, settled } = world(forbidden);
  pods.follow([TARGET], []);
  await settled();
  stop.abort();
  pods.all('shop', []);
  assert.deepEqual(notes, []);
});

test('of many pods some are followed, and their states take no more than a share of the timeline', async () => {
  const { pods, notes, settled } = world(...Array.from({ length: 20 }, () => forbidden));
  pods.follow(
    Array.from({ length: 30 }, (_, index) => ({ ...TARGET, name: `web-${index}` })),
    [],
  );
  await settled();
  for (let round = 0; round < 20; round++)
    pods.all('shop', round % 2 === 0 ? [] : [pod('web-1', true, { uid: `web-1-${round}` })]);
  assert.equal(notes.filter((note) => note.endsWith('web-25')).length, 0);
  for (let round = 0; round < 400; round++)
    pods.one({ ...TARGET, name: 'web-2' }, pod('web-2', round % 2 === 0));
  assert.equal(notes.length, 200);
});
