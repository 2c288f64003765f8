import { decodeJwt } from 'jose';
import { audit } from '../access/audit.ts';
import { type Context, userOf } from '../access/context.ts';
import { exactText, optionalCount, optionalText, readFields, requiredText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { found, Refusal } from '../access/refusal.ts';
import { ACCOUNTS } from '../store/store.ts';
import { openSession, tokenOf } from './sessions.ts';
import { knownUser, userById } from './users.ts';

const DAY_SECONDS = 86_400;
const MOST_DAYS = 3_650;
const DEFAULT_DAYS = 30;
const MOST_TOKENS = 100;
/** Tokens are some 300 characters. */
const TOKEN_CHARACTERS = 4_096;

/** The caller's tokens for programs. In place of their texts they have their IDs, by which they can be removed. @throws Refusal */
export async function listTokens(args: Arguments, context: Context): Promise<object> {
  const { uid } = readFields(args, { uid: requiredText() });
  const user = onlyOneself(context, uid);
  const rows = await context.plane.store.read
    .selectFrom('sessions')
    .select(['id', 'name', 'expires_at', 'created_at'])
    .where('user_id', '=', user)
    .where('kind', '=', 'token')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MOST_TOKENS)
    .execute();
  const apiTokens = rows.map(({ id, name, expires_at, created_at }) => ({
    id,
    user_id: user,
    name,
    token: id,
    // Seconds here and milliseconds there, as in upstream.
    expires_at: Math.floor(expires_at / 1000),
    created_at,
  }));
  return { apiTokens };
}

/** Creates a token for programs. Only this answer contains its text. @throws Refusal */
export async function createToken(args: Arguments, context: Context): Promise<object> {
  const fields = { user_id: requiredText(), name: requiredText(200) };
  const days = { days_until_expiration: optionalCount(1, MOST_DAYS) };
  const read = readFields(args, { ...fields, ...days });
  const id = onlyOneself(context, read.user_id);
  const seconds = (read.days_until_expiration ?? DEFAULT_DAYS) * DAY_SECONDS;
  const made = await context.transaction(ACCOUNTS, async (tx) => {
    const user = knownUser(await userById(tx.db, id));
    const { count } = await tx.db
      .selectFrom('sessions')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', id)
      .where('kind', '=', 'token')
      .executeTakeFirstOrThrow();
    if (count >= MOST_TOKENS)
      throw new Refusal('conflict', `there are ${count} tokens already: remove some that nobody uses`);
    const session = await openSession(tx, context, user, { kind: 'token', name: read.name, seconds });
    const after = { name: read.name, expiresAt: session.expiresAt };
    await audit(tx, context, { kind: 'token', id: session.id, after });
    return { user, session };
  });
  const accessToken = await tokenOf(context, made.user, made.session);
  return { accessToken, type: 'Bearer', id: made.session.id };
}

/** Revokes one of the caller's tokens, by its text or by its ID. @throws Refusal */
export async function removeToken(args: Arguments, context: Context): Promise<object> {
  const { token = '', userID } = readFields(args, {
    token: exactText(TOKEN_CHARACTERS),
    // ChaosCenter's page does not send it.
    userID: optionalText(),
  });
  const user = onlyOneself(context, userID || userOf(context).id);
  const id = idOf(token.trim());
  await context.transaction(ACCOUNTS, async (tx) => {
    const gone = await tx.db
      .deleteFrom('sessions')
      .where('id', '=', id)
      .where('user_id', '=', user)
      .where('kind', '=', 'token')
      .returning('name')
      .executeTakeFirst();
    const { name } = found(gone, 'there is no such token of yours');
    await audit(tx, context, { kind: 'token', id, before: { name } });
  });
  return { message: 'api token deleted successfully' };
}

/** The ID in a token's text, unverified: the caller looks it up among their own tokens. */
function idOf(token: string): string {
  try {
    return decodeJwt(token).jti ?? token;
  } catch {
    return token;
  }
}

/** @throws Refusal for another user than the caller */
function onlyOneself(context: Context, user: string): string {
  if (userOf(context).id === user) return user;
  throw new Refusal('forbidden', 'tokens are for their user only');
}
