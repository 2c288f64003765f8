import assert from 'node:assert/strict';
import { test } from 'node:test';
import { persistently } from './persistently.ts';

/** A load that fails so many times, then gives how often it was asked. */
function failing(times: number): () => Promise<number> {
  let asked = 0;
  return async () => {
    asked += 1;
    if (asked <= times) throw new Error(`refusal ${asked}`);
    return asked;
  };
}

test('what could not be loaded is asked for again after a pause, and is an error when it never comes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const settled = async <Loaded>(loading: Promise<Loaded>): Promise<Loaded> => {
    let isOver = false;
    const over = loading.finally(() => {
      isOver = true;
    });
    over.catch(() => {});
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(100);
    }
    return over;
  };
  assert.equal(await settled(persistently(failing(0))), 1);
  assert.equal(await settled(persistently(failing(2))), 3);
  await assert.rejects(settled(persistently(failing(9))), /refusal 4/);
});
