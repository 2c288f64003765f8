import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@turnsole/kube/text/error-message';
import { StoreUnavailableError } from '../errors.ts';
import { DATABASE_FILE } from '../sqlite/backend.ts';
import { quoted, type Snapshot, type TableHead, type Value, VERSIONS_TABLE } from './source.ts';

/** A snapshot of the database in `folder`; its server may keep running. @throws StoreUnavailableError */
export async function sqliteSnapshot(folder: string): Promise<Snapshot> {
  const file = join(folder, DATABASE_FILE);
  if (!existsSync(file))
    throw new StoreUnavailableError(`there is no ${file}: name the data folder of the server`);
  const { DatabaseSync } = await import('node:sqlite');
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    // The first read fixes the snapshot of this transaction.
    database.exec('BEGIN');
    return {
      versions: valuesOf<number>(database, `SELECT version FROM ${VERSIONS_TABLE} ORDER BY version`),
      tables: headsOf(database),
      async *rows({ table, columns }) {
        const statement = database.prepare(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)}`);
        for (const row of statement.iterate()) yield columns.map((column) => row[column] as Value);
      },
      close: async () => database.close(),
    };
  } catch (error) {
    throw new StoreUnavailableError(`cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function headsOf(database: DatabaseSync): TableHead[] {
  const tables = valuesOf<string>(
    database,
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> '${VERSIONS_TABLE}' ORDER BY name`,
  );
  return tables.map((table) => {
    const columns = valuesOf<string>(
      database,
      `SELECT name FROM pragma_table_info(${text(table)}) ORDER BY cid`,
    );
    const [counter] = valuesOf<number>(
      database,
      `SELECT seq FROM sqlite_sequence WHERE name = ${text(table)}`,
    );
    return { table, columns, ...(counter !== undefined && { counter }) };
  });
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function valuesOf<T>(database: DatabaseSync, query: string): T[] {
  return database
    .prepare(query)
    .all()
    .map((row) => Object.values(row)[0] as T);
}
