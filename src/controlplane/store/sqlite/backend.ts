import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Backend, WriteConnection } from '../backend.ts';
import { StoreUnavailableError } from '../errors.ts';
import { WakeUps } from '../wake-ups.ts';
import { kyselyOn } from './driver.ts';

/** Name of the database in the server's data folder. */
export const DATABASE_FILE = 'server.db';
/** How long to wait for the lock, which only another program (a backup, a shell) can hold. */
const BUSY_MS = 5_000;

/**
 * The store in one file of `folder`, created with mode 0700 if missing. One connection writes, one reads committed data
 * (write-ahead log); each commit is on the disk before it is acknowledged.
 *
 * @throws StoreUnavailableError if the folder or the file is unusable
 */
export async function openSqlite(folder: string): Promise<Backend> {
  const file = join(folder, DATABASE_FILE);
  const { DatabaseSync } = await import('node:sqlite');
  const open = (): DatabaseSync => {
    const database = new DatabaseSync(file, { timeout: BUSY_MS });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    return database;
  };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const writer = open();
    // The file holds password hashes and sealed secrets: only the server's user may read it.
    chmodSync(file, 0o600);
    return sqliteBackend(writer, open());
  } catch (error) {
    throw new StoreUnavailableError(`cannot open ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function sqliteBackend(writer: DatabaseSync, reader: DatabaseSync): Backend {
  const wakeUps = new WakeUps();
  const connection: WriteConnection = {
    db: kyselyOn(writer),
    statement: async (sql) => writer.exec(sql),
  };
  return {
    dialect: 'sqlite',
    read: kyselyOn(reader),
    wakeUps,
    // Only one server uses the file.
    duties: { take: async () => ({ lost: new AbortController().signal, release: async () => {} }) },
    begin: 'BEGIN IMMEDIATE',
    queueOf: () => 'the only writer',
    connection: (use) => use(connection),
    enter: async () => {},
    announce: async () => {},
    committed: (topics) => {
      for (const topic of topics) wakeUps.wake(topic);
    },
    close: async () => {
      reader.close();
      writer.close();
    },
  };
}
