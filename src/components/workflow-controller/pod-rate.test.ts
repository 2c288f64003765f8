import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PodRate, type RateLimit } from './pod-rate.ts';

const FIVE_A_SECOND: RateLimit = { limit: 5, burst: 2 };

function waits(rate: PodRate, limit: RateLimit | undefined, times: readonly number[]): number[] {
  return times.map((now) => rate.reserve(limit, now));
}

test('pods beyond the burst wait for an interval each', () => {
  assert.deepEqual(waits(new PodRate(), FIVE_A_SECOND, [0, 0, 0, 0, 0]), [0, 0, 200, 400, 600]);
});

test('the allowance grows back with time, never above the burst', () => {
  assert.deepEqual(
    waits(new PodRate(), FIVE_A_SECOND, [0, 0, 200, 10_000, 10_000, 10_000]),
    [0, 0, 0, 0, 0, 200],
  );
});

test('a limit below one a second is one in more than a second', () => {
  assert.deepEqual(waits(new PodRate(), { limit: 0.5, burst: 1 }, [0, 0, 500]), [0, 2000, 3500]);
});

test('without a limit nothing waits, also when there was one', () => {
  const rate = new PodRate();
  waits(rate, { limit: 0.01, burst: 1 }, [0, 0]);
  assert.equal(rate.reserve(undefined, 0), 0);
});
