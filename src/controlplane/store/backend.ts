import type { Kysely } from 'kysely';
import type { DutyLock } from './duty-lock.ts';
import type { Tables } from './tables/index.ts';
import type { WakeUps } from './wake-ups.ts';

/** The supported databases. */
export type Dialect = 'sqlite' | 'postgres';

/** A connection for explicit transactions. */
export interface WriteConnection {
  readonly db: Kysely<Tables>;
  /** Runs a statement without parameters, such as `BEGIN`. */
  statement(sql: string): Promise<void>;
}

/** The differences between the two databases. */
export interface Backend {
  readonly dialect: Dialect;
  /** Reads committed data, outside of transactions. */
  readonly read: Kysely<Tables>;
  readonly wakeUps: WakeUps;
  readonly duties: DutyLock;
  /** Statement that begins a transaction. */
  readonly begin: string;
  /** The queue of a scope's transactions: those of one queue never run concurrently. */
  queueOf(scope: string): string;
  /** Lends a connection exclusively to `use`. */
  connection<T>(use: (connection: WriteConnection) => Promise<T>): Promise<T>;
  /** Runs first in each transaction: locks the scope for other replicas until the transaction ends. */
  enter(connection: WriteConnection, scope: string): Promise<void>;
  /** Inside the transaction: notifies other replicas of these topics on commit. */
  announce(connection: WriteConnection, topics: readonly string[]): Promise<void>;
  /** After the commit: notifies this replica, if {@link announce} does not. */
  committed(topics: readonly string[]): void;
  close(): Promise<void>;
}
