import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { awaitStopSignal } from './await-stop-signal.ts';

test('farewell: a young process waits for the signal that ends its pod', async () => {
  const stop = new AbortController();
  const clock = new FakeClock();
  const waiting = awaitStopSignal({ ageMs: 500, clock, signal: stop.signal });
  stop.abort(new Error('SIGTERM'));
  await waiting;
  assert.equal(clock.now(), new FakeClock().now(), 'no time had to pass');
});

test('farewell: where no signal comes it waits for three seconds', async () => {
  const clock = new FakeClock();
  let isOver = false;
  const waiting = awaitStopSignal({ ageMs: 500, clock, signal: new AbortController().signal }).then(() => {
    isOver = true;
  });
  await clock.advance(2_999);
  assert.equal(isOver, false);
  await clock.advance(1);
  await waiting;
});

test('farewell: a process whose kubelet knows that it runs ends at once', async () => {
  await awaitStopSignal({ ageMs: 10_000, clock: new FakeClock(), signal: new AbortController().signal });
});
