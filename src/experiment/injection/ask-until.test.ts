import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import { PODS } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { askUntil } from './ask-until.ts';

const START = Date.parse('2030-01-01T00:00:00Z');

function scene(answerAtMs: number) {
  const clock = new FakeClock(START);
  const asked: number[] = [];
  const stop = new AbortController();
  const ask = async (): Promise<string | undefined> => {
    asked.push(clock.now() - START);
    return clock.now() - START >= answerAtMs ? 'yes' : undefined;
  };
  return { clock, asked, stop, ask, base: { clock, ask, signal: stop.signal } };
}

test('the first answer costs no wait', async () => {
  const { base, asked } = scene(0);
  assert.equal(await askUntil({ ...base, timeoutMs: 1_000 }), 'yes');
  assert.deepEqual(asked, [0]);
});

test('without a bell it asks in proportion to the time waited, and gives up in time', async () => {
  const { base, asked, clock } = scene(Number.POSITIVE_INFINITY);
  const done = askUntil({ ...base, timeoutMs: 10_000 });
  await clock.advance(20_000);
  assert.equal(await done, undefined);
  assert.equal(asked.at(-1), 10_000);
  const gaps = asked.slice(1).map((time, index) => time - (asked[index] ?? 0));
  assert.ok(
    Math.max(...gaps) <= 10_000 / 20 + 21 && gaps.length > 30 && gaps.length < 120,
    String(gaps.length),
  );
});

/** A client whose watch is this. */
function watching(watch: () => AsyncIterable<unknown>): KubeClient {
  // Only the watch is used.
  return { watch } as unknown as KubeClient;
}

test('with a bell it asks when something changes, and hardly otherwise', async () => {
  const { base, asked, clock } = scene(60_000);
  const ring = Promise.withResolvers<void>();
  const client = watching(async function* () {
    await ring.promise;
    yield {};
    await new Promise(() => {});
  });
  const done = askUntil({ ...base, timeoutMs: 100_000, bell: { client, resource: PODS, namespace: 'n' } });
  await clock.advance(60_001);
  assert.ok(asked.length < 20, String(asked.length));
  ring.resolve();
  await clock.advance(100);
  assert.equal(await done, 'yes');
  assert.ok((asked.at(-1) ?? 0) <= 60_101);
});

test('where watching is forbidden it goes on without a bell', async () => {
  const { base, clock, asked } = scene(3_000);
  const client = watching(() => {
    throw new Error('403');
  });
  const done = askUntil({ ...base, timeoutMs: 10_000, bell: { client, resource: PODS, namespace: 'n' } });
  await clock.advance(3_500);
  assert.equal(await done, 'yes');
  assert.ok(asked.length < 60, String(asked.length));
});

test('an abort ends the wait, and so does an error of the question', async () => {
  const { base, clock, stop } = scene(Number.POSITIVE_INFINITY);
  const done = askUntil({ ...base, timeoutMs: 10_000 });
  done.catch(() => {});
  await clock.advance(1_000);
  stop.abort(new Error('stopped'));
  await assert.rejects(done, /stopped/);
  const ask = () => Promise.reject(new Error('forbidden'));
  await assert.rejects(askUntil({ ...scene(0).base, ask, timeoutMs: 1 }), /forbidden/);
});
