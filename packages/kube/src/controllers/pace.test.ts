import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake-clock.ts';
import { Pace, pauseMs } from './pace.ts';

test('the pause grows with the number of objects and the time the last pass took, up to five seconds', () => {
  const table: readonly (readonly [number, number, number, number])[] = [
    [1, 500, 9, 0],
    [100, 500, 9, 0],
    [200, 0, 9, 100],
    [200, 50, 9, 550],
    [200, 50, 0, 100],
    [1000, 50, 9, 950],
    [5000, 0, 9, 2500],
    [1000, 900, 9, 5000],
  ];
  for (const [size, tookMs, factor, pause] of table) {
    assert.equal(pauseMs(size, tookMs, factor), pause, `${size}, ${tookMs}, ${factor}`);
  }
});

test('large keys rest after a pass, small ones never, and a quiet key begins at once', async () => {
  const clock = new FakeClock(0);
  const pace = new Pace(clock, (key) => (key === 'large' ? 400 : 4));
  for (const key of ['large', 'small']) {
    assert.equal(pace.waitMs(key), 0, key);
    pace.begin(key)();
  }
  assert.equal(pace.waitMs('small'), 0);
  assert.equal(pace.waitMs('large'), 200);
  await clock.advance(150);
  assert.equal(pace.waitMs('large'), 50);
  await clock.advance(50);
  assert.equal(pace.waitMs('large'), 0);
});
