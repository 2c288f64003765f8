import { Client } from 'pg';
import type { DutyLock } from '../duty-lock.ts';

/** Key of the advisory lock: any number, the same in every version. */
const LOCK = 74_876_653;
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

/** The replica whose connection holds an advisory lock; PostgreSQL frees it with the connection. */
export function postgresDutyLock(url: string): DutyLock {
  return {
    take: async () => {
      const client = new Client({
        connectionString: url,
        application_name: 'turnsole duties',
        connectionTimeoutMillis: CONNECT_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      });
      const lost = new AbortController();
      const gone = (): void => lost.abort(new Error('the connection that held the duties has ended'));
      client.on('error', gone);
      client.on('end', gone);
      await client.connect();
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS got', [LOCK]);
      if (rows[0]?.got === true) return { lost: lost.signal, release: () => client.end().catch(() => {}) };
      await client.end();
      return undefined;
    },
  };
}
