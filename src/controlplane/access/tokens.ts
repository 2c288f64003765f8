import { createHash } from 'node:crypto';
import type { Clock } from '@turnsole/kube/base/clock';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Reader } from '../store/transaction.ts';
import type { Caller, UserCaller } from './caller.ts';

/** Content of a token: upstream's claims, and its session. */
interface TokenClaims {
  readonly uid: string;
  readonly role: string;
  readonly username: string;
  /** ID of its row in `sessions`. */
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Signs tokens and authenticates callers by them. */
export interface Tokens {
  /**
   * Name of the cookie that holds a token: another one on each server, as browsers send a cookie to all ports of a host, so that servers
   * of one machine would get and overwrite each other's.
   */
  readonly cookieName: string;
  sign(claims: TokenClaims): Promise<string>;
  /** The caller with this token; for an invalid token `nobody`, with the reason. */
  callerBy(token: string, db: Reader): Promise<Caller>;
  /** The current caller of a session, for connections that outlive a request. */
  callerOf(session: string, db: Reader): Promise<Caller>;
}

const ALGORITHM = 'HS512';

/** Tokens by HS512, as upstream's clients expect them. @param key random, kept by the server */
export function tokensBy(key: Uint8Array, clock: Clock): Tokens {
  return {
    cookieName: `turnsole_session_${createHash('sha256').update(key).digest('hex').slice(0, 12)}`,
    sign: ({ uid, role, username, session, expiresAt }) =>
      new SignJWT({ uid, role, username })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setJti(session)
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(key),
    callerBy: async (token, db) => {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          currentDate: new Date(clock.now()),
        });
        return await callerOfSession(db, payload.jti ?? '', clock.now());
      } catch (error) {
        if (error instanceof errors.JWTExpired) return { kind: 'nobody', why: 'expired' };
        if (error instanceof errors.JOSEError) return { kind: 'nobody', why: 'invalid' };
        throw error;
      }
    },
    callerOf: (session, db) => callerOfSession(db, session, clock.now()),
  };
}

/** The caller of a session, which may have been revoked, or its user deactivated, since the token was signed. */
async function callerOfSession(db: Reader, session: string, now: number): Promise<Caller> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'username', 'email', 'role', 'initial_login', 'deactivated_at', 'expires_at'])
    .where('sessions.id', '=', session)
    .executeTakeFirst();
  if (row === undefined) return { kind: 'nobody', why: 'revoked' };
  if (row.expires_at <= now) return { kind: 'nobody', why: 'expired' };
  if (row.deactivated_at !== null) return { kind: 'nobody', why: 'deactivated' };
  const { id, username, email, role } = row;
  const user: UserCaller = {
    kind: 'user',
    id,
    username,
    email,
    role,
    session,
    mustChangePassword: row.initial_login === 1,
  };
  return user;
}
