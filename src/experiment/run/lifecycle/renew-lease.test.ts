import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../kube/testing/fake-clock.ts';
import type { MergePatch } from '../../../text/merge-patch.ts';
import { renewLease } from './renew-lease.ts';
import type { Run } from './run.ts';

/** Renews a lease of 30 s for a while, and gives when it was written, in seconds from the start. */
async function writes(seconds: number, isReachable: (second: number) => boolean): Promise<number[]> {
  const clock = new FakeClock();
  const startedMs = clock.now();
  const times: number[] = [];
  const write = async (_patch: MergePatch): Promise<void> => {
    const second = (clock.now() - startedMs) / 1000;
    times.push(second);
    if (!isReachable(second)) throw new Error('out of reach');
  };
  // Only this setting is read.
  const settings = { tunables: { LEASE_SECONDS: 30 } } as unknown as Run['settings'];
  const stop = renewLease({ clock, settings, writer: { write } });
  for (let second = 0; second < seconds; second += 1) await clock.advance(1_000);
  stop();
  const count = times.length;
  await clock.advance(100_000);
  assert.equal(times.length, count, 'nothing is written when it is over');
  return times;
}

test('a lease is renewed three times per length', async () => {
  assert.deepEqual(await writes(31, () => true), [0, 10, 20, 30]);
});

test('a renewal that fails is tried again each second, and counts from when it succeeded', async () => {
  const times = await writes(45, (second) => second < 10 || second >= 33);
  assert.deepEqual(times, [0, ...Array.from({ length: 24 }, (_, index) => 10 + index), 43]);
});
