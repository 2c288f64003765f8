import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Tables } from '../tables/index.ts';

/** Cached compiled statements, about as many as queries in the program. */
const KEPT_STATEMENTS = 500;

/** A statement, and whether it returns rows, cached because the check takes longer than most statements. */
interface PreparedStatement {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

/**
 * Kysely on one connection of node:sqlite. Kysely's own driver for SQLite lends its connection to one caller at a time, which makes a query
 * outside of a transaction wait for its end; here each statement runs at once, and the store's queue orders the writers.
 */
export function kyselyOn(database: DatabaseSync): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new NodeSqliteDialect(database) });
}

class NodeSqliteDialect implements Dialect {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#database);
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter();
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

class NodeSqliteDriver implements Driver {
  readonly #connection: NodeSqliteConnection;

  constructor(database: DatabaseSync) {
    this.#connection = new NodeSqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}

  beginTransaction(): Promise<void> {
    return refuseTransaction();
  }

  commitTransaction(): Promise<void> {
    return refuseTransaction();
  }

  rollbackTransaction(): Promise<void> {
    return refuseTransaction();
  }
}

function refuseTransaction(): Promise<never> {
  return Promise.reject(new Error('transactions are made by Store.transaction, not by Kysely'));
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, PreparedStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, givesRows } = this.#prepared(sql);
    const values = parameters as readonly SQLInputValue[];
    if (givesRows) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    // A separate statement, so that another query with the same text does not reset it.
    const rows = this.#database.prepare(sql).iterate(...(parameters as readonly SQLInputValue[]));
    for (const row of rows) yield { rows: [row as Row] };
  }

  #prepared(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const oldest = this.#statements.keys().next();
    if (this.#statements.size >= KEPT_STATEMENTS && oldest.done !== true)
      this.#statements.delete(oldest.value);
    const statement = this.#database.prepare(sql);
    const prepared = { statement, givesRows: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
