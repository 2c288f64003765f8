import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffDelayMs } from '../base/backoff.ts';
import { systemClock } from '../base/clock.ts';
import { MinHeap } from '../base/min-heap.ts';
import { TimeLimit } from '../base/time-limit.ts';
import { TokenBuckets } from '../base/token-buckets.ts';
import { FakeClock } from '../testing/fake-clock.ts';

test('timers run in the order of their times, then of their creation, each at its own time', async () => {
  const clock = new FakeClock(0);
  const ran: string[] = [];
  const mark = (name: string) => (): void => {
    ran.push(`${name}@${clock.now()}`);
  };
  clock.setTimer(20, mark('late'));
  clock.setTimer(10, mark('first'));
  clock.setTimer(10, mark('second'));
  const cancel = clock.setTimer(15, mark('cancelled'));
  cancel();
  void clock.sleep(10).then(() => clock.setTimer(5, mark('from a sleeper')));
  await clock.advance(30);
  assert.deepEqual(ran, ['first@10', 'second@10', 'from a sleeper@15', 'late@20']);
  assert.equal(clock.now(), 30);
  assert.equal(clock.runNext(), false);
});

test('a time limit aborts its signal when the time is over, and never when its scope was left before', async () => {
  const clock = new FakeClock(0);
  const late = new Error('too late');
  using over = new TimeLimit(clock, 10, () => late);
  const left = ((): AbortSignal => {
    using limit = new TimeLimit(clock, 10, () => late);
    return limit.signal;
  })();
  await clock.advance(9);
  assert.equal(over.signal.aborted, false);
  await clock.advance(1);
  assert.equal(over.signal.reason, late);
  assert.equal(left.aborted, false);
});

test('sleeps end with the signal’s own reason, on both clocks', async () => {
  for (const clock of [new FakeClock(), systemClock]) {
    const reason = new Error('enough');
    await assert.rejects(clock.sleep(60_000, AbortSignal.abort(reason)), reason);
    const stop = new AbortController();
    const sleeping = clock.sleep(60_000, stop.signal);
    stop.abort(reason);
    await assert.rejects(sleeping, reason);
  }
});

test('what lies further ahead than Node’s timers reach does not fire at once', async () => {
  let fired = 0;
  const cancel = systemClock.setTimer(2 ** 40, () => {
    fired += 1;
  });
  const stop = new AbortController();
  const sleeping = systemClock.sleep(2 ** 40, stop.signal);
  await systemClock.sleep(5);
  stop.abort(new Error('enough'));
  await assert.rejects(sleeping, /enough/);
  assert.equal(fired, 0);
  cancel();
});

test('a heap gives its items in order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const heap = new MinHeap<number>((a, b) => a < b);
      for (const number of numbers) heap.push(number);
      const out = numbers.map(() => heap.pop());
      assert.deepEqual(
        out,
        [...numbers].sort((a, b) => a - b),
      );
      assert.deepEqual([heap.pop(), heap.peek()], [undefined, undefined]);
    }),
  );
});

test('back-off grows to its limit and stays in it', () => {
  const options = { baseMs: 100, maxMs: 1_000 };
  const delays = (jitter: 'none' | 'equal' | 'full'): number[] =>
    [0, 1, 2, 5, 5_000].map((failures) => backoffDelayMs(failures, { ...options, jitter }, () => 0.5));
  assert.deepEqual(delays('none'), [0, 100, 200, 1_000, 1_000]);
  assert.deepEqual(delays('equal'), [0, 75, 150, 750, 750]);
  assert.deepEqual(delays('full'), [0, 50, 100, 500, 500]);
});

test('an allowance is used up at once and grows back slowly, per key', () => {
  const buckets = new TokenBuckets({ burst: 2, refillMs: 1_000 });
  const at = (now: number, key = 'a'): boolean => buckets.take(key, now);
  assert.deepEqual(
    [at(0), at(0), at(0), at(999), at(1_000), at(1_000)],
    [true, true, false, false, true, false],
  );
  assert.equal(at(1_000, 'b'), true);
  assert.deepEqual([at(99_000), at(99_000), at(99_000)], [true, true, false]);
});
