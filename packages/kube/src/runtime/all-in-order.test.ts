import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allInOrder } from '../base/all-in-order.ts';

test('all in order: what they give, whichever is first', async () => {
  const second = Promise.withResolvers<string>();
  const first = second.promise.then(() => 'a');
  const all = allInOrder([first, second.promise]);
  second.resolve('b');
  assert.deepEqual(await all, ['a', 'b']);
});

test('all in order: the error of the first in order, when all have ended', async () => {
  const [first, second, third] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  let hasEnded = false;
  const all = allInOrder([first, second, third].flatMap((one) => (one === undefined ? [] : [one.promise])));
  const failure = all
    .catch((error: unknown) => error)
    .finally(() => {
      hasEnded = true;
    });
  third?.reject(new Error('third'));
  first?.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasEnded, false);
  second?.reject(new Error('second'));
  assert.match(String(await failure), /second/);
});
