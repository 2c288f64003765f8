import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { systemIds } from '../access/ids.ts';
import { SignInLink } from './sign-in-link.ts';

const keyOf = (path: string): string => new URL(path, 'http://x').searchParams.get('key') ?? '';

test('a link signs in once', () => {
  const link = new SignInLink(systemIds, new FakeClock(), 'token', '/ui/');

  assert.equal(link.take(''), undefined);
  const [first, second] = [link.renew(), link.renew()].map(keyOf);
  assert.equal(link.take('guess'), undefined);
  assert.equal(link.take(''), undefined);
  assert.equal(link.take(first ?? ''), undefined, 'one that was replaced');
  assert.equal(link.take(second ?? ''), 'token');
  assert.equal(link.take(second ?? ''), undefined);
});

test('a link is worth nothing after ten minutes', async () => {
  const clock = new FakeClock();
  const [link, late] = [1, 2].map(() => {
    const made = new SignInLink(systemIds, clock, 'token', '/ui/');
    return { made, key: keyOf(made.renew()) };
  });
  await clock.advance(10 * 60_000 - 1);
  assert.equal(link?.made.take(link.key), 'token');
  await clock.advance(1);
  assert.equal(late?.made.take(late.key), undefined);
});
