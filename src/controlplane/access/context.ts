import type { Clock } from '../../kube/runtime/clock.ts';
import type { Logger } from '../../kube/runtime/log.ts';
import type { Store } from '../store/store.ts';
import type { AgentCaller, Caller, Role, UserCaller } from './caller.ts';
import type { Ids } from './ids.ts';
import { notSignedIn } from './not-signed-in.ts';
import type { Passwords } from './passwords.ts';
import type { SecretBox } from './secret-box.ts';
import type { ServerSettings } from './server-settings.ts';
import type { Tokens } from './tokens.ts';

/** What the whole server has: made once, given to every operation. */
export interface ControlPlane {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly secrets: SecretBox;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  readonly settings: ServerSettings;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
}

/** Where a request comes from. */
export interface Origin {
  /** Network address of the client. */
  readonly address: string;
  /** Address under which the client has reached this server, such as `https://chaos.example.com`; what agents are given. */
  readonly serverUrl: string;
  /** Header `cookie` as it came. */
  readonly cookies?: string | undefined;
}

/** A caller's place in the project that the operation is about. */
export interface Member {
  readonly project: string;
  readonly role: Role;
}

/** What one operation works with. */
export interface Context {
  readonly plane: ControlPlane;
  readonly origin: Origin;
  readonly caller: Caller;
  /** Name of the operation, for the audit log. */
  readonly operation: string;
  /** Where its row in the table of operations asks for membership. */
  readonly member?: Member;
  /** Aborted when nobody waits for the answer any more, when its time is up, or when the server ends. */
  readonly signal: AbortSignal;
  /**
   * Of a websocket: resolves when its other end has read everything that was sent before. Rejects when it is gone, or has not answered in
   * time.
   */
  readonly roundTrip?: (withinMs: number) => Promise<void>;
}

/** The project that the caller was found to be a member of. @throws Error when the operation's row does not ask for it */
export function memberOf(context: Context): Member {
  if (context.member === undefined)
    throw new Error(`${context.operation} has no project: see its row in operations.ts`);
  return context.member;
}

/** Who is signed in. @throws Refusal when nobody is */
export function userOf(context: Context): UserCaller {
  if (context.caller.kind !== 'user') throw notSignedIn(context.caller);
  return context.caller;
}

/** The agent that calls. @throws Error when the operation's row does not ask for one */
export function agentOf(context: Context): AgentCaller {
  if (context.caller.kind !== 'agent')
    throw new Error(`${context.operation} is not called by agents: see operations.ts`);
  return context.caller;
}
