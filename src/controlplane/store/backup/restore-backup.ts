import type { Readable } from 'node:stream';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type Kysely, sql } from 'kysely';
import type { Backend, WriteConnection } from '../backend.ts';
import { classifyFailure } from '../errors.ts';
import { migrate } from '../migrate.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { openBackend, type StoreLocation } from '../open.ts';
import type { Tables } from '../tables/index.ts';
import { type BackupEnd, type BackupLine, decodeRow } from './lines.ts';
import { BackupError, readBackup } from './read-backup.ts';
import { quoted, type TableHead } from './source.ts';

/** Rows per statement; PostgreSQL accepts 65,535 parameters. */
const PIECE = 200;

/**
 * Fills an empty database from a backup, of the same kind or the other one, in one transaction, and migrates it to this version.
 *
 * @returns the number of rows
 * @throws BackupError if it is incomplete or newer; StoreUnavailableError
 */
export async function restoreBackup(location: StoreLocation, source: Readable, now: number): Promise<number> {
  const { head, lines } = await readBackup(source);
  const versions = new Set(head.versions);
  const known = MIGRATIONS.filter(({ version }) => versions.has(version));
  if (known.length < versions.size) {
    throw new BackupError('the backup is of a newer version: restore it with that one');
  }
  const backend = await openBackend(location);
  try {
    await migrate(backend, known, now);
    const rows = await backend.connection((connection) => fillInOne(backend, connection, lines));
    await migrate(backend, MIGRATIONS, now);
    return rows;
  } finally {
    await backend.close();
  }
}

async function fillInOne(
  backend: Backend,
  connection: WriteConnection,
  lines: AsyncIterable<BackupLine>,
): Promise<number> {
  await connection.statement(backend.begin);
  try {
    const rows = await fill(backend, connection, lines);
    await connection.statement('COMMIT');
    return rows;
  } catch (error) {
    await connection.statement('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function fill(
  backend: Backend,
  { db }: WriteConnection,
  lines: AsyncIterable<BackupLine>,
): Promise<number> {
  let table: TableHead | undefined;
  let rows: object[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    if (table !== undefined && rows.length > 0) await taken(table, insert(db, table.table, rows));
    count += rows.length;
    rows = [];
  };
  for await (const line of lines) {
    if (isRow(line)) {
      rows.push(asRow(table, line));
      if (rows.length >= PIECE) await flush();
      continue;
    }
    await flush();
    if (isEnd(line)) {
      if (line.end.rows !== count) throw new BackupError('the backup is damaged: rows are missing');
      return count;
    }
    table = line;
    await taken(line, refuseFilled(db, line.table));
    await taken(line, setCounter(backend, db, line));
  }
  throw new BackupError('the backup was cut off: its end is missing');
}

/** Tells what the database refuses, as the backup does not fit it, from a database that fails. */
async function taken(head: TableHead, step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (cause) {
    const failure = classifyFailure(cause);
    if (cause instanceof BackupError || (failure !== 'conflict' && failure !== 'defect')) throw cause;
    const message = `the backup is damaged: its table ${JSON.stringify(head.table.slice(0, 100))} does not fit the database: ${messageOf(cause)}`;
    throw new BackupError(message, { cause });
  }
}

function isRow(line: BackupLine): line is Extract<BackupLine, readonly unknown[]> {
  return Array.isArray(line);
}

function isEnd(line: BackupLine): line is BackupEnd {
  return 'end' in line;
}

function asRow(table: TableHead | undefined, line: Extract<BackupLine, readonly unknown[]>): object {
  if (table === undefined || line.length !== table.columns.length) {
    throw new BackupError('the backup is damaged: a row does not fit its table');
  }
  const values = decodeRow(line);
  return Object.fromEntries(table.columns.map((column, index) => [column, values[index]]));
}

/** Inserts by name, since the types do not cover the tables of a backup. */
async function insert(db: Kysely<Tables>, table: string, rows: readonly object[]): Promise<void> {
  await (db as unknown as Kysely<Record<string, object>>).insertInto(table).values(rows).execute();
}

async function refuseFilled(db: Kysely<Tables>, table: string): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.id(table)} limit 1`.execute(db);
  if (rows.length > 0) {
    throw new BackupError('the database is not empty: restore into a new data folder or a new database');
  }
}

/** Continues the numbering, since watchers continue from their last number. */
async function setCounter(
  { dialect }: Backend,
  db: Kysely<Tables>,
  { table, counter }: TableHead,
): Promise<void> {
  if (counter === undefined || counter === 0) return;
  if (dialect === 'postgres') {
    await sql`select setval(pg_get_serial_sequence(${quoted(table)}, 'seq'), ${counter})`.execute(db);
    return;
  }
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${counter})`.execute(db);
}
