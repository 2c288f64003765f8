import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideKey, type GivenKeys, SshKeys } from './ssh-keys.ts';

const TEN_MINUTES = 600_000;

/** Decides for one who asks at these times. */
function ask(given: GivenKeys, user: string, times: readonly number[]): GivenKeys {
  return times.reduce((known, now) => {
    const decision = decideKey(known, user, now);
    assert.ok('given' in decision, `${user} is refused at ${now}`);
    return decision.given;
  }, given);
}

test('a user gets five keys in ten minutes, and the next one when the first of them is as old', () => {
  const five = ask(new Map(), 'ann', [0, 1, 2, 3, 4]);
  assert.deepEqual(decideKey(five, 'ann', 5), { refusedForMs: TEN_MINUTES - 5 });
  assert.deepEqual(decideKey(five, 'ann', TEN_MINUTES - 1), { refusedForMs: 1 });
  const sixth = ask(five, 'ann', [TEN_MINUTES]);
  assert.deepEqual(sixth, new Map([['ann', [1, 2, 3, 4, TEN_MINUTES]]]));
});

test('others are not counted with a user, and are forgotten', () => {
  const five = ask(new Map(), 'ann', [0, 1, 2, 3, 4]);
  const both = ask(five, 'bea', [5]);
  assert.equal(both.size, 2);
  assert.deepEqual(ask(both, 'bea', [TEN_MINUTES + 4]), new Map([['bea', [5, TEN_MINUTES + 4]]]));
});

test('keys are made one at a time, and a user who asks for too many learns when to ask again', async () => {
  const ends: (() => void)[] = [];
  const keys = new SshKeys(async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return { publicKey: 'p', privateKey: 'q' };
  });
  const asked = Array.from({ length: 5 }, (_, now) => keys.make('ann', now));
  await assert.rejects(keys.make('ann', 5), {
    code: 'too-many',
    message: '5 keys were made for you: try again in 600 s',
  });
  const others = ['bea', 'cleo', 'dora', 'eva'].map((user) => keys.make(user, 5));
  await assert.rejects(keys.make('fay', 5), {
    code: 'too-many',
    message: 'too many keys are made at once; try again in a moment',
  });
  assert.equal(ends.length, 1);
  for (const one of [...asked, ...others]) {
    ends.pop()?.();
    assert.equal((await one).publicKey, 'p');
    assert.ok(ends.length <= 1);
  }
});
