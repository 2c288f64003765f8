import type { Context } from '../access/context.ts';
import { optionalTruth, readFields, requiredText, secretText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { richAnswer } from '../http/rest.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { ACCOUNTS } from '../store/store.ts';
import type { UserRow } from '../store/tables/users.ts';
import type { Tx } from '../store/transaction.ts';
import { deviceCookie, deviceOf } from './device-cookie.ts';
import { nameKey } from './policy.ts';
import { tokenOf } from './sessions.ts';
import { type SignedIn, signIn } from './sign-in.ts';
import { attemptSucceeded, countAttempt } from './throttle.ts';
import { userNamed } from './users.ts';

const FIELDS = { username: requiredText(254), password: secretText, cookie: optionalTruth };

/**
 * Signs in by name and password. An unknown user, a wrong password and a user without one give the same error after the same time.
 *
 * @throws Refusal
 */
export async function login(args: Arguments, context: Context): Promise<object> {
  const { username, password, cookie } = readFields(args, FIELDS, UPSTREAM_BODIES.user);
  const { store, passwords } = context.plane;
  const name = nameKey(username);
  const attempt = { nameKey: name, address: context.origin.address, device: deviceOf(context, name) };
  await store.transaction(ACCOUNTS, (tx) => countAttempt(tx, attempt));
  const known = await userNamed(store.read, username);
  const right = await passwords.match(password, known?.password_hash ?? null);
  if (known === undefined || !right) throw wrongCredentials();
  const renewed = passwords.isOutdated(known.password_hash ?? '')
    ? await passwords.hash(password)
    : undefined;
  const signedIn = await store.transaction(ACCOUNTS, async (tx) => {
    await attemptSucceeded(tx, attempt);
    return signIn(tx, context, await unchanged(tx, known, renewed));
  });
  return answer(context, signedIn, cookie === true);
}

/** In upstream's words. */
export function wrongCredentials(): Refusal {
  return new Refusal('unauthenticated', 'Invalid Credentials', { error: 'invalid_credentials' });
}

/** The current user. @throws Refusal if the password was replaced during the comparison */
async function unchanged(tx: Tx, known: UserRow, renewedHash: string | undefined): Promise<UserRow> {
  const row = await userNamed(tx.db, known.username);
  if (row === undefined || row.password_hash !== known.password_hash) throw wrongCredentials();
  if (renewedHash !== undefined) {
    await tx.db.updateTable('users').set({ password_hash: renewedHash }).where('id', '=', row.id).execute();
  }
  return row;
}

/** Upstream's answer. With a cookie, the body has no token, so that scripts of the page cannot read it. */
async function answer(
  context: Context,
  { user, session, project }: SignedIn,
  cookie: boolean,
): Promise<object> {
  const token = await tokenOf(context, user, session);
  const body = {
    projectID: project,
    projectRole: 'Owner',
    expiresIn: context.plane.settings.sessionSeconds,
    userID: user.id,
    username: user.username,
    role: user.role,
    isInitialLogin: user.initial_login === 1,
  };
  if (!cookie) return { accessToken: token, ...body, type: 'Bearer' };
  return richAnswer({
    headers: { 'set-cookie': [sessionCookie(context, token), deviceCookie(context, user.name_key)] },
    body: { ...body, type: 'Cookie' },
  });
}
