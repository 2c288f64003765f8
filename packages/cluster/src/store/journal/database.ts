/** Opens the database of a data folder, or says why it cannot be used. */

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseObject } from '@turnsole/kube/text/json';
import { DataFolderError, SQLITE, sqliteCode } from './errors.ts';
import { inspectWal } from './wal.ts';

/** Name of the database in the folder; SQLite's log is beside it. */
export const DATABASE = 'turnsole.db';
const LOCK = 'lock';
/** Marks the file as ours: `Tsol`. */
const APPLICATION_ID = 0x54736f6c;
/** Counts changes of the schema. */
const FORMAT = 1;
/** A cluster that was just killed may take a moment to let go of its lock. */
const LOCK_WAIT_MS = 1_000;

const SCHEMA = `
  CREATE TABLE changes (
    revision INTEGER PRIMARY KEY, type INTEGER NOT NULL, tbl TEXT NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE compactions (tbl TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 0), revision INTEGER NOT NULL, rows INTEGER NOT NULL, sum INTEGER NOT NULL
  ) STRICT;
  INSERT INTO state VALUES (0, 1, 0, 0);
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`;

/** The process that uses a folder, as `lock` in it says. The lock itself is SQLite's, which ends with the process. */
interface LockHolder {
  readonly pid: number;
  /** Folder of the running cluster; after a crash its remains have to be cleaned up. */
  readonly runDir?: string;
}

/**
 * Opens or makes the database and locks the folder for this process.
 *
 * The folder gets mode 0700. SQLite's exclusive locking mode keeps the lock until the database is closed or the process
 * is gone, and keeps the index of the log in memory instead of in a file.
 *
 * @throws DataFolderError when another cluster has it, it cannot be written, is something else, is damaged, or is of a
 * newer version
 */
export function openDatabase(directory: string): DatabaseSync {
  prepareFolder(directory);
  const path = join(directory, DATABASE);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) createDatabase(directory, path);
  else if (statSync(path).size === 0) throw damaged(path, 'it is empty');
  const database = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    checkIdentity(database, path);
    const log = `${path}-wal`;
    const state = inspectWal(readIfThere(log));
    if (state.state === 'damaged') throw damaged(log, state.why);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
    // A write, so that the lock is ours from now on and a disk that takes none is found out here.
    database.exec('BEGIN IMMEDIATE; UPDATE state SET id = 0; COMMIT');
    return database;
  } catch (error) {
    closeQuietly(database);
    throw explain(error, directory, path);
  }
}

/** The process that has the folder, or had it last. */
export function readLockHolder(directory: string): LockHolder | undefined {
  const { pid, runDir } = parseObject(readIfThere(join(directory, LOCK)).toString()) ?? {};
  if (typeof pid !== 'number') return undefined;
  return { pid, ...(typeof runDir === 'string' ? { runDir } : {}) };
}

/** Says who has the folder; for the holder of the lock. */
export function writeLockHolder(directory: string, holder: LockHolder): void {
  writeFileSync(join(directory, LOCK), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
}

/** A damaged file: never used, and never replaced by an empty one. */
export function damaged(path: string, why: string, cause?: unknown): DataFolderError {
  return new DataFolderError(
    'damaged',
    path,
    `cannot use ${path}: ${why}; restore the folder from a copy, or begin with an empty one by choosing another --data ` +
      'folder (nothing was changed)',
    cause === undefined ? undefined : { cause },
  );
}

function prepareFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!statSync(directory).isDirectory()) throw new Error('it is not a folder');
    const names = readdirSync(directory).filter(
      (name) => name !== LOCK && !name.startsWith(`${DATABASE}.new-`),
    );
    if (names.length > 0 && !names.includes(DATABASE)) throw notACluster(directory, names);
    accessSync(directory, constants.W_OK);
    chmodSync(directory, 0o700);
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    throw notWritable(directory, error);
  }
}

/** A folder with something in it, but no database: another program's, or ours and robbed. */
function notACluster(directory: string, names: readonly string[]): DataFolderError {
  if (names.includes('admin.token') || names.includes(`${DATABASE}-wal`)) {
    return damaged(join(directory, DATABASE), 'it is missing, but other files of a cluster are there');
  }
  const some = names.slice(0, 3).join(', ');
  return new DataFolderError(
    'not-a-cluster',
    directory,
    `cannot keep a cluster in ${directory}: it is not empty (${some}${names.length > 3 ? ', …' : ''}) and has no ` +
      `${DATABASE}; choose an empty or a new folder`,
  );
}

function notWritable(directory: string, cause: unknown): DataFolderError {
  const why = messageOf(cause);
  return new DataFolderError(
    'not-writable',
    directory,
    `cannot keep a cluster in ${directory}: ${why}; choose a folder that you may write to`,
    { cause },
  );
}

/** Made under another name and then linked: a crash meanwhile leaves no half of a database. */
function createDatabase(directory: string, path: string): void {
  const fresh = `${path}.new-${process.pid}`;
  try {
    rmSync(fresh, { force: true });
    closeSync(openSync(fresh, 'wx', 0o600));
    const database = new DatabaseSync(fresh);
    database.exec(`PRAGMA synchronous = FULL; BEGIN; ${SCHEMA} COMMIT`);
    database.close();
    publish(fresh, path);
    syncToDisk(directory);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw notWritable(directory, error);
  }
}

/** A link fails where a rename would replace what another process has made meanwhile. */
function publish(fresh: string, path: string): void {
  try {
    linkSync(fresh, path);
    rmSync(fresh);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') rmSync(fresh);
    // Some file systems have no links.
    else renameSync(fresh, path);
  }
}

/** Has a file or folder on the disk as it is now. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function checkIdentity(database: DatabaseSync, path: string): void {
  const id = numberOf(database, 'application_id');
  if (id !== APPLICATION_ID) throw damaged(path, 'it is a database of another program');
  const format = numberOf(database, 'user_version');
  if (format === FORMAT) return;
  throw new DataFolderError(
    'newer',
    path,
    `cannot use ${path}: it has format ${format} and this version of Turnsole reads format ${FORMAT}; use the version ` +
      'that wrote it, or a newer one (nothing was changed)',
  );
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function explain(error: unknown, directory: string, path: string): unknown {
  switch (sqliteCode(error)) {
    case SQLITE.busy: {
      const holder = readLockHolder(directory);
      const who = holder === undefined ? 'another process' : `the process ${holder.pid}`;
      return new DataFolderError(
        'in-use',
        directory,
        `cannot use ${directory}: ${who} uses it; stop that cluster ("turnsole down", Ctrl-C) or choose another folder`,
        { cause: error },
      );
    }
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return damaged(path, `it is damaged (${messageOf(error)})`, error);
    case SQLITE.full:
      return new DataFolderError(
        'not-writable',
        directory,
        `cannot use ${directory}: the disk is full; make room and start again (nothing is lost)`,
        { cause: error },
      );
    case SQLITE.readOnly:
    case SQLITE.cantOpen:
    case SQLITE.io:
      return notWritable(directory, error);
    default:
      return error;
  }
}

function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch {
    // The earlier failure is the one to report.
  }
}
