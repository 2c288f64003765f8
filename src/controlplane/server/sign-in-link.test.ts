import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { systemIds } from '../access/ids.ts';
import { SignInLink } from './sign-in-link.ts';

const keyOf = (link: SignInLink): string => new URL(link.path, 'http://x').searchParams.get('key') ?? '';

test('a link signs in once', () => {
  const link = new SignInLink(systemIds, new FakeClock(), 'token', '/ui/');

  assert.equal(link.take('guess'), undefined);
  assert.equal(link.take(''), undefined);
  assert.equal(link.take(keyOf(link)), 'token');
  assert.equal(link.take(keyOf(link)), undefined);
});

test('a link is worth nothing after ten minutes', async () => {
  const clock = new FakeClock();
  const [link, late] = [1, 2].map(() => new SignInLink(systemIds, clock, 'token', '/ui/'));
  await clock.advance(10 * 60_000 - 1);
  assert.equal(link?.take(keyOf(link)), 'token');
  await clock.advance(1);
  assert.equal(late?.take(keyOf(late)), undefined);
});
