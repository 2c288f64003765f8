import type { Authored, Flag, Time } from './columns.ts';

/** A user. */
export interface UserRow extends Authored {
  readonly id: string;
  /** As typed at creation; `name_key` is for case-insensitive comparison. */
  readonly username: string;
  readonly name_key: string;
  /** From `access/passwords.ts`; null for users who sign in by OIDC only. */
  readonly password_hash: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: 'admin' | 'user';
  /** 1 until the user replaces a password that an administrator has set. */
  readonly initial_login: Flag;
  readonly deactivated_at: Time | null;
  /** `issuer subject` of the identity provider; null for local users. */
  readonly oidc_subject: string | null;
}

/** The session of a signed token. A token without its row is invalid, so that deleting the row revokes it. */
export interface SessionRow {
  /** The token's `jti`. */
  readonly id: string;
  readonly user_id: string;
  /** `session` from a sign-in, `token` for programs. */
  readonly kind: 'session' | 'token';
  /** Given by its creator; empty for sessions. */
  readonly name: string;
  readonly created_at: Time;
  readonly expires_at: Time;
  readonly last_used_at: Time;
  /** Address of its creator. */
  readonly made_from: string;
}

/** An unfinished sign-in by OIDC. */
export interface OidcLoginRow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where to redirect the browser afterwards; a path of this server. */
  readonly return_to: string;
  readonly expires_at: Time;
}

/** Failed sign-ins of one user name, whether the user exists or not, or from one address. */
export interface LoginFailureRow {
  /** `user NAME` or `address ADDRESS`. */
  readonly subject: string;
  /** Since the last one that succeeded. */
  readonly failures: number;
  readonly last_at: Time;
  /** Until when further attempts are refused. */
  readonly blocked_until: Time;
}
