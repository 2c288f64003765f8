import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import type { Store } from '../store/store.ts';
import type { AgentCaller, Caller, Role, UserCaller } from './caller.ts';
import type { Ids } from './ids.ts';
import { notSignedIn } from './not-signed-in.ts';
import type { Passwords } from './passwords.ts';
import type { SecretBox } from './secret-box.ts';
import type { ServerSettings } from './server-settings.ts';
import type { Tokens } from './tokens.ts';

/** Shared state of the server: created once, passed to every operation. */
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
  /** Address under which the client has reached this server, such as `https://chaos.example.com`; the default address for agents. */
  readonly serverUrl: string;
  /** Header `cookie` as it came. */
  readonly cookies?: string | undefined;
}

/** A caller's membership in the project of the operation. */
export interface Member {
  readonly project: string;
  readonly role: Role;
}

/** Context of one operation. */
export interface Context {
  readonly plane: ControlPlane;
  readonly origin: Origin;
  readonly caller: Caller;
  /**
   * Transactions for this caller, whom they authorise again (allow.ts). Work that others share, or that goes on without the caller, uses those of
   * the plane's store.
   */
  readonly transaction: Store['transaction'];
  /** Name of the operation, for the audit log. */
  readonly operation: string;
  /** Present if the operation's row requires membership. */
  readonly member?: Member;
  /** Aborted when the client has gone, when the time limit is reached, or when the server ends. */
  readonly signal: AbortSignal;
  /**
   * For a websocket: resolves when the client has read everything sent before. Rejects when the client is gone, or has not answered in
   * time.
   */
  readonly roundTrip?: (withinMs: number) => Promise<void>;
}

/** The context of what the server does by itself. @param operation its name, for the audit log */
export function serverContext(plane: ControlPlane, operation: string, signal = plane.signal): Context {
  return {
    plane,
    caller: { kind: 'server' },
    transaction: plane.store.transaction,
    origin: { address: '', serverUrl: plane.settings.publicUrl ?? '' },
    operation,
    signal,
  };
}

/** The caller's membership in the operation's project. @throws Error if the operation's row does not require one */
export function memberOf(context: Context): Member {
  if (context.member === undefined)
    throw new Error(`${context.operation} has no project: see its row in operations.ts`);
  return context.member;
}

/** The signed-in user. @throws Refusal if the caller is not signed in */
export function userOf(context: Context): UserCaller {
  if (context.caller.kind !== 'user') throw notSignedIn(context.caller);
  return context.caller;
}

/** The calling agent. @throws Error if the operation's row does not require one */
export function agentOf(context: Context): AgentCaller {
  if (context.caller.kind !== 'agent')
    throw new Error(`${context.operation} is not called by agents: see operations.ts`);
  return context.caller;
}
