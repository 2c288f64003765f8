import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from './caller.ts';
import { notSignedIn } from './not-signed-in.ts';

const OVER = 'invalid Token: its session is over; sign in again';
const ROWS: readonly [caller: Caller, sentence: string][] = [
  [{ kind: 'nobody' }, 'invalid Token: none was sent; sign in'],
  [{ kind: 'nobody', why: 'invalid' }, 'invalid Token: it is none of this server; sign in again'],
  [{ kind: 'nobody', why: 'expired' }, 'invalid Token: it has expired; sign in again'],
  [{ kind: 'nobody', why: 'revoked' }, OVER],
  // Who has stolen a token learns nothing of its user.
  [{ kind: 'nobody', why: 'deactivated' }, OVER],
  [{ kind: 'server' }, 'invalid Token: none was sent; sign in'],
];

for (const [caller, sentence] of ROWS) {
  test(`${JSON.stringify(caller)} gets the answer: ${sentence}`, () => {
    const { code, status, message } = notSignedIn(caller);
    assert.deepEqual([code, status, message], ['unauthenticated', 401, sentence]);
  });
}
