import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';

type Why = NonNullable<Extract<Caller, { kind: 'nobody' }>['why']>;

/**
 * What is wrong with a token, and what to do. Only who has a token that this server has signed learns more than that it is none; whether its user was
 * deactivated is told to nobody.
 */
const SENTENCES: Readonly<Record<Why, string>> = {
  invalid: 'it is none of this server; sign in again',
  expired: 'it has expired; sign in again',
  revoked: 'its session is over; sign in again',
  deactivated: 'its session is over; sign in again',
};

/** The refusal of a caller who is nobody, or no user. It begins as upstream's does, which clients look for. Pure. */
export function notSignedIn(caller: Caller): Refusal {
  const why = caller.kind === 'nobody' ? caller.why : undefined;
  const sentence = why === undefined ? 'none was sent; sign in' : SENTENCES[why];
  return new Refusal('unauthenticated', `invalid Token: ${sentence}`);
}
