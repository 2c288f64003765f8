import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { UsageSampler } from './usage-sampler.ts';

/** A container that has used `coreShare` of a core ever since the clock's beginning. */
function rig(coreShare: () => number) {
  const clock = new FakeClock(0);
  let reads = 0;
  let used = 0;
  let readAtMs = 0;
  const running = {
    id: 'c1',
    usage: () => {
      reads += 1;
      used += (clock.now() - readAtMs) * 1e6 * coreShare();
      readAtMs = clock.now();
      return Promise.resolve({ cpuNanos: used, memoryBytes: 1 });
    },
  };
  const sampler = new UsageSampler({
    containers: () => [{ podUid: 'p', name: 'main', running }],
    clock,
    intervalMs: 5_000,
  });
  const pods = [{ metadata: { name: 'p', uid: 'p' } }, { metadata: { name: 'q', uid: 'q' } }];
  const ask = async (): Promise<
    [cores: number | undefined, windowMs: number | undefined, other: unknown]
  > => {
    const [usage, other] = await sampler.usageOf(pods);
    return [(usage?.containers[0]?.cpuNanoCores ?? Number.NaN) / 1e9, usage?.windowMs, other];
  };
  return { clock, sampler, ask, reads: () => reads };
}

test('nothing is measured before the first question, and no more after a minute without one', async () => {
  const { clock, sampler, ask, reads } = rig(() => 0.5);
  await clock.advance(600_000);
  assert.equal(reads(), 0);
  const first = ask();
  await clock.advance(1_000);
  assert.deepEqual(await first, [0.5, 1_000, undefined]);
  await clock.advance(120_000);
  const rested = reads();
  assert.ok(rested <= 2 + 13, `${rested} samples in the minute after a question`);
  await clock.advance(600_000);
  assert.equal(reads(), rested);
  // And from the beginning.
  const again = ask();
  await clock.advance(1_000);
  assert.deepEqual(await again, [0.5, 1_000, undefined]);
  sampler.close();
});

test('each interval has its own figures', async () => {
  let share = 0;
  const { clock, sampler, ask } = rig(() => share);
  const first = ask();
  await clock.advance(1_000);
  assert.deepEqual(await first, [0, 1_000, undefined]);
  share = 1;
  assert.deepEqual(await ask(), [0, 1_000, undefined], 'the window is over');
  await clock.advance(5_000);
  assert.deepEqual(await ask(), [1, 5_000, undefined]);
  share = 0.25;
  await clock.advance(5_000);
  assert.deepEqual(await ask(), [0.25, 5_000, undefined]);
  sampler.close();
});

test('who waits for the first window when the cluster is closed is answered with nothing', async () => {
  const { clock, sampler } = rig(() => 1);
  const waiting = sampler.usageOf([{ metadata: { name: 'p', uid: 'p' } }]);
  await clock.advance(10);
  sampler.close();
  assert.deepEqual(await waiting, [undefined]);
});
