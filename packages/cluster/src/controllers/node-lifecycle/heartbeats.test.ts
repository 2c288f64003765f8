import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heartbeats } from './heartbeats.ts';

const GRACE_MS = 40_000;

/** What looks at these times give. */
function looks(...times: readonly number[]): number[] {
  let now = 0;
  const heartbeats = new Heartbeats({ monotonic: () => now });
  return times.map((time) => {
    now = time;
    return heartbeats.untilSilentMs('n', GRACE_MS);
  });
}

test('a node is silent when its grace is over, and stays so', () => {
  assert.deepEqual(looks(0, 30_000, 40_000, 41_000, 90_000), [40_000, 10_000, 0, 0, 0]);
  assert.deepEqual(looks(0, 40_020), [40_000, 0]);
});

test('when the process itself had no turn, a node gets the time of a sign of life more', () => {
  assert.deepEqual(looks(0, 300_000, 305_000, 310_000, 400_000), [40_000, 10_000, 5_000, 0, 0]);
  assert.deepEqual(looks(0, 40_100, 50_100), [40_000, 10_000, 0]);
});

test('a node of no grace is silent at once', () => {
  const heartbeats = new Heartbeats({ monotonic: () => 0 });
  assert.equal(heartbeats.untilSilentMs('n', 0), 0);
});
