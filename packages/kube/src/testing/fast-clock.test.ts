import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fastClock } from './fast-clock.ts';

/** As a process is whose turn does not come. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a fast clock does not count the time in which its process stands still', async () => {
  const clock = fastClock(1000);
  await delay(20);
  const before = clock.now();
  standStill(300);
  const passed = clock.now() - before;
  assert.ok(passed < 20_000, `${passed} ms passed`);
});

test('a timer of a fast clock never fires early, also when its process stands still meanwhile', async () => {
  const clock = fastClock(100);
  const due = clock.now() + 5000;
  const fired = Promise.withResolvers<number>();
  clock.setTimer(5000, () => fired.resolve(clock.now()));
  standStill(100);
  assert.ok((await fired.promise) >= due);
});

test('a sleep ends with the reason of its signal', async () => {
  const reason = new Error('stop');
  await assert.rejects(fastClock().sleep(1e12, AbortSignal.abort(reason)), reason);
  const stop = new AbortController();
  const sleeping = fastClock().sleep(1e12, stop.signal);
  stop.abort(reason);
  await assert.rejects(sleeping, reason);
});
