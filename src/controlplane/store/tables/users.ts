import type { Flag, Time } from './columns.ts';

/** A person who signs in. */
export interface UserRow {
  readonly id: string;
  /** As typed at creation; compared without case by `name_key`. */
  readonly username: string;
  readonly name_key: string;
  /** By `access/passwords.ts`; null for those who sign in by OIDC only. */
  readonly password_hash: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: 'admin' | 'user';
  /** 1 until the password that somebody else has chosen is replaced. */
  readonly initial_login: Flag;
  readonly deactivated_at: Time | null;
  /** `issuer subject` of the identity provider; null for local users. */
  readonly oidc_subject: string | null;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
}

/** What a signed token stands on: without its row it is worth nothing, so that it can be revoked. */
export interface SessionRow {
  /** The token's `jti`. */
  readonly id: string;
  readonly user_id: string;
  /** `session` by signing in, `token` made for programs. */
  readonly kind: 'session' | 'token';
  /** Given by its maker; empty for sessions. */
  readonly name: string;
  readonly created_at: Time;
  readonly expires_at: Time;
  readonly last_used_at: Time;
  /** Address that it was made from. */
  readonly made_from: string;
}

/** A sign-in by OIDC that is under way. */
export interface OidcLoginRow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the browser goes afterwards; a path of this server. */
  readonly return_to: string;
  readonly expires_at: Time;
}

/** Failed sign-ins of one user name, whether there is such a user or not, or from one address. */
export interface LoginFailureRow {
  /** `user NAME` or `address ADDRESS`. */
  readonly subject: string;
  /** Since the last one that succeeded. */
  readonly failures: number;
  readonly last_at: Time;
  /** Until when no further attempt is looked at. */
  readonly blocked_until: Time;
}
