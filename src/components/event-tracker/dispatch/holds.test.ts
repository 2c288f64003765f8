import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Holds } from './holds.ts';

test('pauses grow up to five minutes, by key, and begin anew after a success', () => {
  let now = 0;
  const holds = new Holds(
    () => 1,
    () => now,
  );
  const pauses = Array.from({ length: 12 }, () => {
    holds.hold('a');
    return holds.waitMs('a');
  });
  assert.deepEqual(pauses.slice(0, 3), [1_000, 2_000, 4_000]);
  assert.equal(pauses.at(-1), 300_000);
  assert.equal(holds.waitMs('b'), 0);
  now += 300_000;
  assert.equal(holds.waitMs('a'), 0);
  holds.release('a');
  holds.hold('a');
  assert.equal(holds.waitMs('a'), 1_000);
});

test('what the other side asks for is waited for', () => {
  const holds = new Holds(
    () => 0,
    () => 0,
  );
  holds.hold('server', 60_000);
  assert.equal(holds.waitMs('server'), 60_000);
});
