import type { Kysely } from 'kysely';
import type { DutyLock } from './duty-lock.ts';
import type { Tables } from './tables/index.ts';
import type { WakeUps } from './wake-ups.ts';

/** The databases that the store speaks to. */
export type Dialect = 'sqlite' | 'postgres';

/** One connection on which a transaction is made by hand. */
export interface WriteConnection {
  readonly db: Kysely<Tables>;
  /** Runs a statement without parameters, such as `BEGIN`. */
  statement(sql: string): Promise<void>;
}

/** What the two databases do differently. */
export interface Backend {
  readonly dialect: Dialect;
  /** Reads what is committed, outside of transactions. */
  readonly read: Kysely<Tables>;
  readonly wakeUps: WakeUps;
  readonly duties: DutyLock;
  /** How a transaction begins. */
  readonly begin: string;
  /** The queue that a scope's transactions wait in: those of one queue never run side by side. */
  queueOf(scope: string): string;
  /** Lends a connection, alone, to `use`. */
  connection<T>(use: (connection: WriteConnection) => Promise<T>): Promise<T>;
  /** First thing in each transaction: keeps other replicas out of the same scope until it ends. */
  enter(connection: WriteConnection, scope: string): Promise<void>;
  /** Inside the transaction: other replicas are told of these topics when it is committed. */
  announce(connection: WriteConnection, topics: readonly string[]): Promise<void>;
  /** After the commit: this replica is told of them, where {@link announce} does not do it. */
  committed(topics: readonly string[]): void;
  close(): Promise<void>;
}
