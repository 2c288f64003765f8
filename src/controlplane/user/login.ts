import { createHash } from 'node:crypto';
import type { Context } from '../access/context.ts';
import { optionalTruth, readFields, requiredText, secretText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { richAnswer } from '../http/rest.ts';
import { cookieIn, cookieText, sessionCookie } from '../http/session-cookie.ts';
import { ACCOUNTS } from '../store/store.ts';
import type { UserRow } from '../store/tables/users.ts';
import type { Tx } from '../store/transaction.ts';
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

/** Purpose for sealing these cookies. */
const DEVICE = 'device of a user';
/** How long a browser counts as one in which its user has signed in; each sign-in by password begins it anew. */
const HOLDS_MS = 180 * 24 * 3_600_000;

/**
 * Value of `set-cookie` that shows, at later sign-ins, that this browser is one in which the user has signed in. It signs nobody in: attempts with it are counted
 * apart, so that wrong passwords from elsewhere do not keep the user out.
 */
function deviceCookie(context: Context, nameKey: string): string {
  const { secrets, clock, ids } = context.plane;
  const value = secrets.seal(DEVICE, JSON.stringify([nameKey, ids.id(), clock.now() + HOLDS_MS]));
  return cookieText(context, nameOf(context, nameKey), value, HOLDS_MS / 1000);
}

/** Id of the browser of this request, if the user of this name has signed in there; undefined for a cookie of others, and for none. */
function deviceOf(context: Context, nameKey: string): string | undefined {
  const { secrets, clock } = context.plane;
  const value = cookieIn(nameOf(context, nameKey), context.origin.cookies);
  if (value === undefined) return undefined;
  try {
    // Sealed above: a text that opens is one of those.
    const [name, id, until] = JSON.parse(secrets.open(DEVICE, value)) as [string, string, number];
    return name === nameKey && until > clock.now() ? id : undefined;
  } catch {
    return undefined;
  }
}

/** One for each user of a browser. */
function nameOf({ plane }: Context, nameKey: string): string {
  const user = createHash('sha256').update(nameKey).digest('hex').slice(0, 16);
  return `${plane.tokens.cookieName}_device_${user}`;
}
