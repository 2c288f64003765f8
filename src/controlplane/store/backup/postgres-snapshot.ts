import { messageOf } from '@turnsole/kube/text/error-message';
import { Client } from 'pg';
import { StoreUnavailableError } from '../errors.ts';
import { NUMBERS } from '../postgres/numbers.ts';
import { quoted, type Snapshot, type TableHead, type Value, VERSIONS_TABLE } from './source.ts';

const CONNECT_MS = 5_000;
/** Rows in memory at once. */
const PIECE = 500;

/** A snapshot of a PostgreSQL database; its servers may keep running. @throws StoreUnavailableError */
export async function postgresSnapshot(url: string): Promise<Snapshot> {
  const client = new Client({
    ...{ connectionString: url, application_name: 'turnsole backup', types: NUMBERS },
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return {
      versions: await valuesOf<number>(client, `SELECT version FROM ${VERSIONS_TABLE} ORDER BY version`),
      tables: await headsOf(client),
      rows: (head) => rowsOf(client, head),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => {});
    throw new StoreUnavailableError(`cannot read the database: ${messageOf(error)}`, { cause: error });
  }
}

async function* rowsOf(client: Client, { table, columns }: TableHead): AsyncGenerator<readonly Value[]> {
  const names = columns.map(quoted).join(', ');
  await client.query(`DECLARE piece NO SCROLL CURSOR FOR SELECT ${names} FROM ${quoted(table)}`);
  try {
    for (let count = PIECE; count === PIECE; ) {
      const { rows } = await client.query<Value[]>({ text: `FETCH ${PIECE} FROM piece`, rowMode: 'array' });
      count = rows.length;
      yield* rows;
    }
  } finally {
    await client.query('CLOSE piece').catch(() => {});
  }
}

async function headsOf(client: Client): Promise<TableHead[]> {
  const tables = await valuesOf<string>(
    client,
    `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> '${VERSIONS_TABLE}' ORDER BY 1`,
  );
  const heads: TableHead[] = [];
  for (const table of tables) {
    const columns = await valuesOf<string>(
      client,
      'SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position',
      [table],
    );
    const counter = columns.includes('seq') ? await counterOf(client, table) : undefined;
    heads.push({ table, columns, ...(counter !== undefined && { counter }) });
  }
  return heads;
}

async function counterOf(client: Client, table: string): Promise<number | undefined> {
  const [sequence] = await valuesOf<string | null>(client, "SELECT pg_get_serial_sequence($1, 'seq')", [
    quoted(table),
  ]);
  if (sequence === null || sequence === undefined) return undefined;
  const [last] = await valuesOf<number>(
    client,
    `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence}`,
  );
  return last;
}

async function valuesOf<T>(client: Client, query: string, values: unknown[] = []): Promise<T[]> {
  const { rows } = await client.query<[T]>({ text: query, values, rowMode: 'array' });
  return rows.map(([value]) => value);
}
