import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Wake } from '@turnsole/kube/base/wake';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { StoreUnavailableError } from './errors.ts';
import { onceAvailable } from './once-available.ts';

/** A stand-in for a read, which fails as without a database until the test sets `isAway` to false. */
function database() {
  const state = { isAway: true, asked: 0 };
  const read = async (): Promise<string> => {
    state.asked += 1;
    if (state.isAway) throw new StoreUnavailableError('away');
    return 'row';
  };
  return { state, read };
}

describe('a read that outlasts a database that is away', () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();

  test('ends when the store says that it is back', async () => {
    const { state, read } = database();
    const woken = new Wake(clock);
    const row = onceAvailable(read, woken, signal);
    await clock.advance(0);
    state.isAway = false;
    woken.wake();
    assert.equal(await row, 'row');
    assert.equal(state.asked, 2);
  });

  test('is tried again when nobody says so', async () => {
    const { state, read } = database();
    const row = onceAvailable(read, new Wake(clock), signal);
    await clock.advance(5_000);
    assert.equal(state.asked, 2);
    state.isAway = false;
    await clock.advance(5_000);
    assert.equal(await row, 'row');
  });

  test('ends with the error when nobody waits any more', async () => {
    const { state, read } = database();
    const gone = new AbortController();
    const row = onceAvailable(read, new Wake(clock), gone.signal);
    await clock.advance(0);
    gone.abort();
    await assert.rejects(row, StoreUnavailableError);
    assert.equal(state.asked, 1);
  });

  test('passes other errors on at once', async () => {
    const broken = async (): Promise<never> => {
      throw new TypeError('no such column');
    };
    await assert.rejects(onceAvailable(broken, new Wake(clock), signal), TypeError);
  });
});
