import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import { Pool } from 'pg';
import type { Backend, WriteConnection } from '../backend.ts';
import { asUnavailable } from '../errors.ts';
import type { Tables } from '../tables/index.ts';
import { together } from '../together.ts';
import { WakeUps } from '../wake-ups.ts';
import { postgresDutyLock } from './duty-lock.ts';
import { CHANNEL, listen } from './listen.ts';
import { NUMBERS } from './numbers.ts';

/** Connections per replica: PostgreSQL allows 100 in total by default. */
const MOST_CONNECTIONS = 10;
const CONNECT_MS = 5_000;
/** Time limit per statement. */
const STATEMENT_MS = 30_000;

/** How to reach PostgreSQL. */
interface PostgresOptions {
  readonly url: string;
  readonly clock?: Clock;
  /** Called when the database goes away or comes back. */
  readonly onListening?: (event: 'listening' | 'lost', error?: unknown) => void;
}

/** The store in PostgreSQL, for several replicas, which notify each other of commits by NOTIFY. */
export async function openPostgres(options: PostgresOptions): Promise<Backend> {
  const pool = new Pool({
    connectionString: options.url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: 'turnsole',
    types: NUMBERS,
    // Sends independent statements of a transaction together, since round trips limit the throughput of a project's scope.
    pipeline: true,
  });
  // The pool replaces a broken idle connection on demand, and one in use fails its statements; without a listener pg would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: reportingUnavailable(pool) }) });
  const wakeUps = new WakeUps();
  const listening = listen(options.url, wakeUps, options.clock ?? systemClock, options.onListening);
  return {
    dialect: 'postgres',
    read,
    wakeUps,
    duties: postgresDutyLock(options.url),
    begin: 'BEGIN',
    queueOf: (scope) => scope,
    connection: (use) =>
      read.connection().execute((db) =>
        use({
          db,
          statement: async (text) => {
            await sql.raw(text).execute(db);
          },
        }),
      ),
    enter,
    announce,
    committed: () => {},
    close: async () => {
      await listening.close();
      await read.destroy();
    },
  };
}

/** A pool that throws StoreUnavailableError if the database is unreachable, for readers as for writers. */
function reportingUnavailable(pool: Pool): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect().catch(rethrow);
      // The overload for cursors is unused: nothing here is streamed.
      const query = (text: string, values: unknown[]): Promise<unknown> =>
        client.query(text, values).catch(rethrow);
      return { query, release: () => client.release() } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

function rethrow(error: unknown): never {
  throw asUnavailable(error);
}

/** A scope is an advisory lock until the end of the transaction, so that writes of a project have one order. */
async function enter(connection: WriteConnection, scope: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${scope}, 0))`.execute(connection.db);
}

async function announce(connection: WriteConnection, topics: readonly string[]): Promise<void> {
  await together(topics.map((topic) => sql`select pg_notify(${CHANNEL}, ${topic})`.execute(connection.db)));
}
