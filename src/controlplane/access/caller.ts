import type { UserRow } from '../store/tables/users.ts';

/** Roles in a project, from the most to the least. */
const ROLES = ['Owner', 'Executor', 'Viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Somebody who is signed in. */
export interface UserCaller {
  readonly kind: 'user';
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly role: UserRow['role'];
  /** True until the password that somebody else has chosen is replaced. */
  readonly mustChangePassword: boolean;
  /** `jti` of the token that was shown. */
  readonly session: string;
}

/** An agent that has shown its key. */
export interface AgentCaller {
  readonly kind: 'agent';
  readonly infra: string;
  readonly project: string;
  /** Of the agent, as it says. */
  readonly version: string;
}

/** Nobody yet; `why` where a token was shown that is worth nothing. */
interface UnknownCaller {
  readonly kind: 'nobody';
  readonly why?: 'invalid' | 'revoked' | 'expired' | 'deactivated';
}

/** The server itself: schedules and time limits. */
interface ServerCaller {
  readonly kind: 'server';
}

export type Caller = UserCaller | AgentCaller | UnknownCaller | ServerCaller;
