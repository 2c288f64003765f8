import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';

type Why = NonNullable<Extract<Caller, { kind: 'nobody' }>['why']>;

/**
 * What is wrong with a token, and what to do. Only for a token that this server has signed the answer says more than that it is invalid; no
 * answer says that its user was deactivated.
 */
const SENTENCES: Readonly<Record<Why, string>> = {
  invalid: 'it is none of this server; sign in again',
  expired: 'it has expired; sign in again',
  revoked: 'its session is over; sign in again',
  deactivated: 'its session is over; sign in again',
};

/** The refusal for a caller that is not a signed-in user. It begins with upstream's text, which clients look for. Pure. */
export function notSignedIn(caller: Caller): Refusal {
  const why = caller.kind === 'nobody' ? caller.why : undefined;
  const sentence = why === undefined ? 'none was sent; sign in' : SENTENCES[why];
  return new Refusal('unauthenticated', `invalid Token: ${sentence}`);
}
