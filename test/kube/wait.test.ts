import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { ApiError, ConnectionError } from '@turnsole/kube/client/errors';
import type { KubeClient, WatchEvent } from '@turnsole/kube/client/types';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { pollDelayMs, WaitTimeoutError, waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { startApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import fc from 'fast-check';

const namespace = 'default';
const create = (client: KubeClient, name: string, data: Record<string, string> = {}): Promise<ConfigMap> =>
  client.create<ConfigMap>(CONFIG_MAPS, { metadata: { name, namespace, labels: { app: 'x' } }, data });

/** A client whose methods are partly replaced, and which records its calls. */
function altered(client: KubeClient, changes: Partial<KubeClient>): KubeClient {
  return {
    ...changes,
    find: changes.find ?? client.find.bind(client),
    get: changes.get ?? client.get.bind(client),
    list: changes.list ?? client.list.bind(client),
    watch: changes.watch ?? client.watch.bind(client),
    // The waits use nothing else.
  } as KubeClient;
}

function refuseWatch(code: number): KubeClient['watch'] {
  // oxlint-disable-next-line require-yield -- it is refused before it begins
  return async function* <T>(): AsyncGenerator<T> {
    throw new ApiError('GET watch', code, { code });
  };
}

test('looks first: what is so already needs no watch', async () => {
  await using api = await startApi(createApiServer);
  await create(api.client, 'a', { state: 'ready' });
  const blind = altered(api.client, { watch: refuseWatch(500) });
  const found = await waitForObject<ConfigMap>(
    blind,
    CONFIG_MAPS,
    'a',
    (map) => map?.data?.state === 'ready',
    {
      namespace,
      timeoutMs: PATIENCE_MS,
    },
  );
  assert.equal(found?.metadata.name, 'a');
});

test('follows creation, change and deletion of an object, and no other object', async () => {
  await using api = await startApi(createApiServer);
  const states: (string | undefined)[] = [];
  const opened = Promise.withResolvers<void>();
  const client = altered(api.client, {
    find: async (...call) => {
      const found = await api.client.find(...call);
      opened.resolve();
      return found as never;
    },
  });
  const waiting = waitForObject<ConfigMap>(
    client,
    CONFIG_MAPS,
    'a',
    (map) => {
      states.push(map?.data?.state);
      return states.includes('two') && map === undefined;
    },
    { namespace, timeoutMs: PATIENCE_MS },
  );
  await opened.promise;
  await create(api.client, 'other', { state: 'never' });
  await create(api.client, 'a', { state: 'one' });
  await untilSeen(() => states.includes('one'));
  await api.client.patch(CONFIG_MAPS, 'a', 'merge', { data: { state: 'two' } }, { namespace });
  await untilSeen(() => states.includes('two'));
  await api.client.delete(CONFIG_MAPS, 'a', { namespace });
  assert.equal(await waiting, undefined);
  assert.deepEqual(states, [undefined, 'one', 'two', undefined]);
});

/** Lets the event loop turn until something has happened; the test runner limits it. */
async function untilSeen(seen: () => boolean): Promise<void> {
  const { setImmediate: turn } = await import('node:timers/promises');
  while (!seen()) await turn();
}

test('where watching is forbidden it asks again, less and less often', async () => {
  const clock = new FakeClock();
  const start = clock.now();
  const askedAt: number[] = [];
  const client = altered({} as KubeClient, {
    find: async () => {
      askedAt.push(clock.now() - start);
      return undefined;
    },
    get: async () => assert.fail(),
    list: async () => assert.fail(),
    watch: refuseWatch(403),
  });
  const waiting = waitForObject(client, CONFIG_MAPS, 'a', () => clock.now() - start > 1_500, {
    namespace,
    timeoutMs: 60_000,
    clock,
  });
  await clock.advance(2_000);
  assert.equal(await waiting, undefined);
  assert.ok(askedAt.length > 20 && askedAt.length < 32, `${askedAt.length} requests in 1.5 s`);
  for (const [index, at] of askedAt.slice(1).entries()) {
    const before = askedAt[index] ?? 0;
    assert.ok(Math.abs(at - before - pollDelayMs(before)) < 0.001, `asked at ${before} and ${at} ms`);
  }
  assert.equal(clock.pending, 0);
});

test('the delay between two looks: a twentieth of the time waited, 50 ms to 1 s', () => {
  assert.deepEqual([0, 1_000, 2_000, 20_000, 600_000].map(pollDelayMs), [50, 50, 100, 1_000, 1_000]);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (ms) => pollDelayMs(ms) >= 50 && pollDelayMs(ms) <= 1_000,
    ),
  );
});

test('the limit names the object and what was seen last; the signal keeps its own reason', async () => {
  await using api = await startApi(createApiServer);
  await create(api.client, 'a');
  const clock = new FakeClock();
  const options = { namespace, timeoutMs: 5_000, clock };
  const looked = Promise.withResolvers<void>();
  const waiting = waitForObject(
    api.client,
    CONFIG_MAPS,
    'a',
    () => {
      looked.resolve();
      return false;
    },
    options,
  );
  await looked.promise;
  clock.advanceSync(5_000);
  await assert.rejects(waiting, (error: Error) => {
    assert.ok(error instanceof WaitTimeoutError);
    assert.match(
      error.message,
      /^waited 5000 ms for ConfigMap default\/a, last seen: resourceVersion \d+; raise the limit or look at the object$/,
    );
    return true;
  });
  assert.equal(clock.pending, 0);
  const stop = new AbortController();
  const stopped = waitForObject(api.client, CONFIG_MAPS, 'a', () => false, {
    ...options,
    signal: stop.signal,
  });
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(stopped, reason);
});

test('broken connections, ended watches, server failures and a lost position are survived', async () => {
  const clock = new FakeClock();
  const map = { metadata: { name: 'a', namespace, resourceVersion: '5' } };
  const watches: ((from: string | undefined) => WatchEvent[])[] = [
    () => {
      throw new ConnectionError('GET watch', 'reset');
    },
    () => {
      throw new ApiError('GET watch', 410, {});
    },
    (from) => {
      assert.equal(from, '9', 'after a lost position the version of a list counts');
      return [];
    },
    () => {
      throw new ApiError('GET watch', 503, {});
    },
    () => [{ type: 'MODIFIED', object: { ...map, metadata: { ...map.metadata, labels: { done: 'yes' } } } }],
  ];
  const client = altered({} as KubeClient, {
    find: async () => map as never,
    get: async () => assert.fail(),
    list: async () => ({ metadata: { resourceVersion: '9' }, items: [map] }) as never,
    watch: async function* (_, options) {
      const next = watches.shift() ?? assert.fail('one watch too many');
      yield* next(options?.resourceVersion) as never[];
    },
  });
  const waiting = waitForObject(client, CONFIG_MAPS, 'a', (found) => found?.metadata.labels?.done === 'yes', {
    namespace,
    timeoutMs: 60_000,
    clock,
  });
  await clock.advance(10_000);
  assert.equal((await waiting)?.metadata.labels?.done, 'yes');
});

test('a look that gets no answer is made anew long before the wait is over', async () => {
  await using api = await startApi(createApiServer);
  await create(api.client, 'a', { state: 'ready' });
  const clock = new FakeClock();
  let looks = 0;
  const silentOnce = altered(api.client, {
    find: async (resource, name, options = {}) => {
      looks += 1;
      if (looks > 1) return api.client.find(resource, name, { namespace });
      await clock.sleep(options.timeoutMs ?? 0, options.signal);
      throw new ConnectionError('GET a', 'no answer');
    },
  });
  const startedMs = clock.now();
  let found: ConfigMap | undefined;
  const waiting = waitForObject<ConfigMap>(silentOnce, CONFIG_MAPS, 'a', (map) => map !== undefined, {
    namespace,
    timeoutMs: 3_600_000,
    clock,
  }).then((map) => {
    found = map;
  });
  while (found === undefined) await clock.advance(1_000);
  await waiting;
  assert.ok(clock.now() - startedMs < 60_000, `answered after ${clock.now() - startedMs} ms`);
});

test('a wait fails at once where a right is missing', async () => {
  const forbidden = new ApiError('GET', 403, { reason: 'Forbidden' });
  const client = altered({} as KubeClient, {
    find: () => Promise.reject(forbidden),
    get: async () => assert.fail(),
    list: () => Promise.reject(forbidden),
    watch: refuseWatch(403),
  });
  const options = { namespace, timeoutMs: 60_000 };
  await assert.rejects(
    waitForObject(client, CONFIG_MAPS, 'a', () => true, options),
    forbidden,
  );
  await assert.rejects(
    waitForList(client, CONFIG_MAPS, () => true, options),
    forbidden,
  );
});

test('waits for a set of objects', async () => {
  await using api = await startApi(createApiServer);
  const sizes: number[] = [];
  const waiting = waitForList<ConfigMap>(
    api.client,
    CONFIG_MAPS,
    (maps) => {
      sizes.push(maps.length);
      return maps.length === 0 && sizes.includes(2);
    },
    { namespace, labelSelector: 'app=x', timeoutMs: PATIENCE_MS },
  );
  await untilSeen(() => sizes.length === 1);
  await create(api.client, 'a');
  await create(api.client, 'b');
  await untilSeen(() => sizes.includes(2));
  await api.client.deleteCollection(CONFIG_MAPS, { namespace, labelSelector: 'app=x' });
  assert.deepEqual(await waiting, []);
  assert.deepEqual(sizes, [0, 1, 2, 1, 0]);
});
