import { createHash } from 'node:crypto';
import { textOf } from '@turnsole/kube/text/json';
import type { Context } from '../../access/context.ts';
import type { Arguments } from '../../access/operations.ts';
import { Refusal } from '../../access/refusal.ts';
import { richAnswer } from '../../http/rest.ts';
import { sessionCookie } from '../../http/session-cookie.ts';
import { ACCOUNTS } from '../../store/store.ts';
import type { OidcLoginRow, UserRow } from '../../store/tables/users.ts';
import type { Tx } from '../../store/transaction.ts';
import { insertUser } from '../create-user.ts';
import { isUsername } from '../policy.ts';
import { tokenOf } from '../sessions.ts';
import { type SignedIn, signIn } from '../sign-in.ts';
import { userNamed } from '../users.ts';
import { providerOf } from './provider.ts';
import { hasBegun, stateCookie } from './state-cookie.ts';

/** Signs in a browser that returns from the provider. @throws Refusal */
export async function completeLogin(args: Arguments, context: Context): Promise<object> {
  const { plane, origin } = context;
  const state = typeof args.state === 'string' ? args.state : '';
  if (!hasBegun(origin.cookies, state)) {
    throw new Refusal(
      'unauthenticated',
      'this browser has not begun this sign-in: begin again at /dex/login',
    );
  }
  const login = await takeLogin(context, state);
  const identity = await identityBy(args, login, context);
  const signedIn = await plane.store.transaction(ACCOUNTS, async (tx) =>
    signIn(tx, context, await linkedUser(tx, context, identity)),
  );
  return redirect(context, signedIn, login.return_to);
}

/** Takes an unfinished sign-in, which permits one attempt. @throws Refusal */
async function takeLogin({ plane }: Context, state: string): Promise<OidcLoginRow> {
  const row = await plane.store.transaction(ACCOUNTS, ({ db }) =>
    db.deleteFrom('oidc_logins').where('state', '=', state).returningAll().executeTakeFirst(),
  );
  if (row !== undefined && row.expires_at > plane.clock.now()) return row;
  throw new Refusal('unauthenticated', 'this sign-in took too long, or is over: begin again at /dex/login');
}

/** Exchanges the code, and verifies the provider's answer. @throws Refusal */
async function identityBy(args: Arguments, login: OidcLoginRow, { plane }: Context): Promise<Identity> {
  const { client, configuration, settings } = await providerOf(plane);
  const answered = new URL(settings.callbackUrl);
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === 'string') answered.searchParams.set(name, value);
  }
  try {
    const tokens = await client.authorizationCodeGrant(configuration, answered, {
      pkceCodeVerifier: login.verifier,
      expectedState: login.state,
      expectedNonce: login.nonce,
      idTokenExpected: true,
    });
    return identityOf(tokens.claims());
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    plane.logger.warn({ err: cause }, 'a sign-in by the identity provider failed');
    throw new Refusal('unauthenticated', 'the identity provider has not signed you in', { cause });
  }
}

async function redirect(context: Context, signedIn: SignedIn, returnTo: string): Promise<object> {
  const { user, session, project } = signedIn;
  const { oidc } = context.plane.settings;
  const token = await tokenOf(context, user, session);
  const done = oidc === undefined ? [] : [stateCookie(oidc, '', 0)];
  if (oidc?.tokenInUrl === true) {
    const query = new URLSearchParams({ jwtToken: token, projectID: project, projectRole: 'Owner' });
    return richAnswer({ status: 308, headers: { location: `/login?${query}`, 'set-cookie': done } });
  }
  const cookies = [...done, sessionCookie(context, token)];
  return richAnswer({ status: 302, headers: { location: returnTo, 'set-cookie': cookies } });
}

/**
 * The user of an identity: the one who has signed in by it before, else one whom an administrator has created with the verified
 * e-mail address as name, else a new one. An e-mail address that a user has entered does not count, since users can enter any.
 */
async function linkedUser(tx: Tx, { plane }: Context, identity: Identity): Promise<UserRow> {
  const known = await tx.db
    .selectFrom('users')
    .selectAll()
    .where('oidc_subject', '=', identity.subject)
    .executeTakeFirst();
  if (known !== undefined) return known;
  const expected = identity.email === '' ? undefined : await userNamed(tx.db, identity.email);
  if (expected !== undefined && expected.oidc_subject === null) return link(tx, expected, identity.subject);
  for (const username of identity.usernames) {
    if ((await userNamed(tx.db, username)) !== undefined) continue;
    return insertUser(tx, plane, {
      ...{ username, email: identity.email, name: identity.name, role: 'user', password_hash: null },
      ...{ initial_login: 0, created_by: username, oidc_subject: identity.subject },
    });
  }
  throw new Refusal('conflict', 'all names for this account are taken; ask an administrator');
}

/** Links a user, who then need not replace the initial password. */
async function link(tx: Tx, user: UserRow, subject: string): Promise<UserRow> {
  const linked = { oidc_subject: subject, initial_login: 0, updated_at: tx.now } as const;
  await tx.db.updateTable('users').set(linked).where('id', '=', user.id).execute();
  return { ...user, ...linked };
}

/** A user's identity at a provider. */
interface Identity {
  /** Issuer and subject: permanent and unique. */
  readonly subject: string;
  /** Empty if the provider has not verified one. */
  readonly email: string;
  readonly name: string;
  /** Candidates for the user name, in order. */
  readonly usernames: readonly string[];
}

/** Reads the claims of a verified token. Pure. @throws Refusal without a subject */
export function identityOf(claims: Readonly<Record<string, unknown>> | undefined): Identity {
  const { iss, sub } = claims ?? {};
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '')
    throw new Refusal('unauthenticated', 'the identity provider does not say who you are');
  const subject = `${iss} ${sub}`;
  const text = (claim: string): string => textOf(claims?.[claim]).trim();
  const email = claims?.email_verified === true ? text('email') : '';
  const digest = createHash('sha256').update(subject).digest('hex').slice(0, 12);
  const wished = [email, text('preferred_username')].filter((name) => isUsername(name));
  return { subject, email, name: text('name').slice(0, 1_000), usernames: [...wished, `sso-${digest}`] };
}
