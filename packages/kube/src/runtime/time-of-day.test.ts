import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atTimeOfDay, ForwardTime, LOOK_EVERY_MS } from '../base/time-of-day.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

const HOUR_MS = 3_600_000;

describe('a wait for a moment of the day', () => {
  const waiting = (ms: number): { clock: FakeClock; rung: () => number; cancel: () => void } => {
    const clock = new FakeClock();
    let count = 0;
    const cancel = atTimeOfDay(clock, clock.now() + ms, () => {
      count += 1;
    });
    return { clock, rung: () => count, cancel };
  };

  it('ends then, and once', () => {
    const { clock, rung } = waiting(HOUR_MS);
    clock.advanceSync(HOUR_MS - 1);
    assert.equal(rung(), 0);
    clock.advanceSync(1);
    assert.equal(rung(), 1);
    clock.advanceSync(HOUR_MS);
    assert.equal(rung(), 1);
  });

  it('notices that the machine has slept', () => {
    const { clock, rung } = waiting(HOUR_MS);
    clock.advanceSync(60_000);
    clock.set(HOUR_MS);
    clock.advanceSync(LOOK_EVERY_MS);
    assert.equal(rung(), 1);
  });

  it('waits longer where the clock is set back', () => {
    const { clock, rung } = waiting(HOUR_MS);
    clock.set(-HOUR_MS);
    clock.advanceSync(2 * HOUR_MS - 1);
    assert.equal(rung(), 0);
    clock.advanceSync(1);
    assert.equal(rung(), 1);
  });

  it('can be ended, also after a look', () => {
    const { clock, rung, cancel } = waiting(HOUR_MS);
    clock.advanceSync(60_000);
    cancel();
    assert.equal(clock.pending, 0);
    clock.advanceSync(HOUR_MS);
    assert.equal(rung(), 0);
  });
});

describe('forward time', () => {
  it('goes on evenly, leaps forward, and never back', () => {
    const clock = new FakeClock();
    const time = new ForwardTime(clock);
    const began = time.now();
    clock.advanceSync(1_000);
    assert.equal(time.now() - began, 1_000);
    clock.set(HOUR_MS);
    assert.equal(time.now() - began, HOUR_MS + 1_000);
    clock.set(-HOUR_MS);
    clock.advanceSync(1_000);
    assert.equal(time.now() - began, HOUR_MS + 2_000);
  });
});

describe('delays of a work queue', () => {
  it('are over soon after a sleep of the machine, for they may stand for a moment of the day', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('schedule', HOUR_MS);
    clock.set(HOUR_MS);
    clock.advanceSync(LOOK_EVERY_MS);
    assert.equal(queue.state.ready, 1);
    await queue.shutdown({ drain: false });
  });

  it('are no longer where the clock is set back', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('retry', 1_000);
    clock.set(-HOUR_MS);
    clock.advanceSync(1_000);
    assert.equal(queue.state.ready, 1);
    await queue.shutdown({ drain: false });
  });
});
