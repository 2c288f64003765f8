import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError, ConnectionError } from '@turnsole/kube/client/errors';
import type { KubeClient, ListOptions } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { HistoryServer } from '@turnsole/kube/testing/history-server';
import { type ChaosEngine, LABEL_CHAOS_UID } from '../../../api/index.ts';
import { LastWordWatch } from './last-word-watch.ts';

function engine(uid: string): ChaosEngine {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: uid, namespace: 'shop', uid },
    spec: { experiments: [] },
  };
}

/** The server's client; it selects, which the server does not do. */
function selecting({ client }: HistoryServer): Pick<KubeClient, 'list' | 'watch'> {
  return {
    watch: client.watch,
    list: async <T extends KubeObject>(resource: Resource, options?: ListOptions) => {
      const list = await client.list<T>(resource, options);
      const isSelected = ({ metadata }: T): boolean =>
        options?.labelSelector === `${LABEL_CHAOS_UID}=${metadata.labels?.[LABEL_CHAOS_UID]}`;
      return { ...list, items: list.items.filter(isSelected) };
    },
  };
}

/** A watch with a subscriber, on a server whose results are written by hand. */
function setUp(t: TestContext) {
  const server = new HistoryServer();
  const clock = new FakeClock();
  const words = new LastWordWatch(selecting(server), clock, 'shop');
  const enqueued: string[] = [];
  const unsubscribe = words.subscribe((key) => void enqueued.push(key));
  t.after(unsubscribe);
  const write = (uid: string, status: object): void =>
    server.put(`${uid}-pod-delete`, { [LABEL_CHAOS_UID]: uid }, { status });
  return { server, clock, words, enqueued, unsubscribe, write };
}

const WORD = { closed: { pod: 'p' } };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('one watch serves all engines that are being aborted, and ends with the last of them', async (t) => {
  const { server, words, enqueued, write } = setUp(t);
  for (const uid of ['a', 'b', 'a', 'c']) words.follow(engine(uid));
  await turn();
  assert.deepEqual([server.lists, server.watches], [3, 1]);
  write('a', { experimentStatus: { phase: 'Running' } });
  write('b', WORD);
  write('d', WORD);
  await turn();
  assert.deepEqual(enqueued, ['shop/b']);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((uid) => words.hasReceived(uid)),
    [false, true, false, false],
  );
  for (const uid of ['a', 'b']) words.leave(uid);
  assert.equal(server.openWatches, 1);
  words.leave('c');
  await turn();
  assert.deepEqual([server.openWatches, words.hasReceived('b')], [0, false]);
});

test('words that were written before are received, by the first engine and by later ones', async (t) => {
  const { words, enqueued, write } = setUp(t);
  write('a', WORD);
  words.follow(engine('a'));
  await turn();
  assert.deepEqual(enqueued, ['shop/a']);
  words.follow(engine('b'));
  write('c', WORD);
  words.follow(engine('c'));
  await turn();
  assert.deepEqual(
    ['a', 'b', 'c'].map((uid) => words.hasReceived(uid)),
    [true, false, true],
  );
});

test('of an engine whose results cannot be read, words may have been missed', async (t) => {
  const { server, words, enqueued } = setUp(t);
  words.follow(engine('a'));
  await turn();
  server.failures.list.push(new ConnectionError('GET results', 'reset'));
  words.follow(engine('b'));
  await turn();
  assert.deepEqual([enqueued, words.hasReceived('b')], [['shop/b'], true]);
});

for (const [what, end] of [
  ['breaks', (server: HistoryServer) => server.drop()],
  ['is ended by the server', (server: HistoryServer) => server.endWatches()],
] as const) {
  test(`when the watch ${what}, all engines are looked at once it has begun anew`, async (t) => {
    const { server, clock, words, enqueued, write } = setUp(t);
    for (const uid of ['a', 'b']) words.follow(engine(uid));
    await turn();
    end(server);
    await turn();
    assert.deepEqual(enqueued, []);
    await clock.advance(500);
    assert.deepEqual(enqueued, ['shop/a', 'shop/b']);
    write('b', WORD);
    await turn();
    assert.deepEqual(enqueued, ['shop/a', 'shop/b', 'shop/b']);
  });
}

test('a watch that could not begin is tried again, and then all engines are looked at', async (t) => {
  const { server, clock, words, enqueued } = setUp(t);
  server.failures.list.push(new ConnectionError('GET results', 'reset'));
  for (const uid of ['a', 'b']) words.follow(engine(uid));
  await turn();
  assert.deepEqual([server.watches, enqueued], [0, []]);
  await clock.advance(500);
  assert.deepEqual([server.watches, enqueued], [1, ['shop/a', 'shop/b']]);
});

test('one that is forbidden is not tried again', async (t) => {
  const { server, clock, words } = setUp(t);
  server.failures.watch.push(new ApiError('GET results', 403, { reason: 'Forbidden' }));
  words.follow(engine('a'));
  await clock.advance(10_000);
  assert.deepEqual([server.watches, clock.pending], [1, 0]);
});

test('the watch ends with the controller, and one that is asked for behind its end is not begun', async (t) => {
  const { server, clock, words, unsubscribe } = setUp(t);
  words.follow(engine('a'));
  await turn();
  assert.equal(server.openWatches, 1);
  unsubscribe();
  words.follow(engine('b'));
  await clock.advance(10_000);
  assert.deepEqual([server.watches, server.openWatches, clock.pending], [1, 0, 0]);
});
