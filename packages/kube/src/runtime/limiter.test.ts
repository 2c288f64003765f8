import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Limiter } from '../base/limiter.ts';

const refusal = (): Error => Object.assign(new Error('too many wait'), { code: 'too-many' });

test('so many run at a time, in the order in which they came; who is too many is refused', async () => {
  const turns = new Limiter(1, { most: 1, refusal });
  const seen: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = turns.run(async () => {
    seen.push('one begins');
    await first.promise;
    seen.push('one ends');
  });
  const two = turns.run(async () => seen.push('two'));
  await assert.rejects(
    turns.run(async () => seen.push('three')),
    { code: 'too-many' },
  );
  first.resolve();
  await Promise.all([one, two]);
  await turns.run(async () => seen.push('four'));
  assert.deepEqual(seen, ['one begins', 'one ends', 'two', 'four']);
});

test('work that fails gives its place back', async () => {
  const turns = new Limiter(1, { most: 0, refusal });
  await assert.rejects(
    turns.run(async () => {
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(await turns.run(async () => 'yes'), 'yes');
});
