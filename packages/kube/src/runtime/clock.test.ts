import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyClock, systemClock } from '../base/clock.ts';

test('the steady clock goes on as before when the clock of the machine is set', (t) => {
  const before = steadyClock.now();
  t.mock.method(Date, 'now', () => 0);
  assert.equal(systemClock.now(), 0);
  const after = steadyClock.now();
  assert.ok(after >= before && after - before < 60_000, `${before} to ${after}`);
});
