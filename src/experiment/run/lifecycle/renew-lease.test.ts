import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { MergePatch } from '@turnsole/kube/text/merge-patch';
import { ResultError } from '../../injection/errors.ts';
import { renewLease } from './renew-lease.ts';
import type { Run } from './run.ts';

/** Renews a lease of 30 s for a while, and gives when it was written, in seconds from the start. */
async function writes(
  seconds: number,
  isReachable: (second: number) => boolean,
  {
    failure = new Error('out of reach'),
    onRefused = () => {},
  }: { failure?: Error; onRefused?: (error: Error) => void } = {},
): Promise<number[]> {
  const clock = new FakeClock();
  const startedMs = clock.now();
  const times: number[] = [];
  const write = async (_patch: MergePatch): Promise<void> => {
    const second = (clock.now() - startedMs) / 1000;
    times.push(second);
    if (!isReachable(second)) throw failure;
  };
  // Only this setting is read.
  const settings = { tunables: { LEASE_SECONDS: 30 } } as unknown as Run['settings'];
  const stop = renewLease({ clock, settings, writer: { write }, onRefused });
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

for (const code of [401, 403]) {
  test(`a renewal that is refused with ${code} for five seconds ends the run, and not a refusal that passes`, async () => {
    const cause = new ApiError('PATCH /x', code, { message: 'refused' });
    const failure = new ResultError('cannot write ChaosResult a/b', { cause });
    const reported: Error[] = [];
    const onRefused = (error: Error): void => void reported.push(error);
    await writes(14, (second) => second < 10 || second >= 14, { failure, onRefused });
    await writes(20, (second) => second < 10, { failure: new Error('out of reach'), onRefused });
    assert.deepEqual(reported, []);
    await writes(20, (second) => second < 10, { failure, onRefused });
    assert.deepEqual(reported, [failure]);
  });
}
