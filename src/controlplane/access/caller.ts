import type { UserRow } from '../store/tables/users.ts';

/** Roles in a project, from the most to the least. */
export const ROLES = ['Owner', 'Executor', 'Viewer'] as const;
export type Role = (typeof ROLES)[number];

/** A signed-in user. */
export interface UserCaller {
  readonly kind: 'user';
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly role: UserRow['role'];
  /** True until the user replaces a password that an administrator has set. */
  readonly mustChangePassword: boolean;
  /** `jti` of the token. */
  readonly session: string;
}

/** An agent with a valid key. */
export interface AgentCaller {
  readonly kind: 'agent';
  readonly infra: string;
  readonly project: string;
  /** Version that the agent reports. */
  readonly version: string;
}

/** An unauthenticated caller; `why` says what is wrong with an invalid token. */
interface UnknownCaller {
  readonly kind: 'nobody';
  readonly why?: 'invalid' | 'revoked' | 'expired' | 'deactivated';
}

/** The server itself: schedules and time limits. */
interface ServerCaller {
  readonly kind: 'server';
}

export type Caller = UserCaller | AgentCaller | UnknownCaller | ServerCaller;
