/** The index of a store: which names, images and unpacked layers there are, and who uses them. Files of content stand beside it. */
import { linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { messageOf } from '@turnsole/kube/text/error-message';
import { ImageError } from '../errors.ts';

/** Marks the file as ours: `Timg`. */
const APPLICATION_ID = 0x54696d67;
/** Counts changes of the schema. */
const FORMAT = 1;
/** Transactions take milliseconds; a process that was stopped in the middle of one may keep others waiting. */
const BUSY_WAIT_MS = 20_000;
const FILE = 'store.db';
/** SQLITE_FULL, and I/O errors of a disk that takes no more (SQLITE_IOERR_WRITE). */
const NO_SPACE = [13, 778];

const SCHEMA = `
  CREATE TABLE image (
    digest TEXT PRIMARY KEY, record TEXT NOT NULL, stored_at INTEGER NOT NULL, used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE name (
    reference TEXT NOT NULL, platform TEXT NOT NULL, digest TEXT NOT NULL REFERENCES image, target TEXT NOT NULL,
    PRIMARY KEY (reference, platform)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tree (
    ids TEXT NOT NULL, chain TEXT NOT NULL, bytes INTEGER NOT NULL, notes TEXT NOT NULL, boot TEXT,
    PRIMARY KEY (ids, chain)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE hold (
    owner TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (owner, kind, key)
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`;

/**
 * A row of what the store knows.
 *
 * - `image`: its record is an `ImageRecord`. It is there only when all of its content is
 * - `name`: `target` is the digest that the name stood for at its registry, of an index or of the image itself
 * - `tree`: an unpacked layer; `ids` says for which map of user ids. `boot` is the machine's run in which it was written, until it is known
 *   to be on the disk
 * - `hold`: a process, by its lock, needs something: an `image` it has leased, a `blob` it is bringing, a piece of `work` it does alone
 */
type Row = Readonly<Record<string, string | number | null>>;

export class StoreDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * Opens the index in a folder, or makes it.
   *
   * @throws ImageError `store`
   */
  constructor(directory: string) {
    const path = join(directory, FILE);
    try {
      if (statSync(path, { throwIfNoEntry: false }) === undefined) create(directory, path);
      this.#database = new DatabaseSync(path, { timeout: BUSY_WAIT_MS });
      this.#check(path);
      // Nothing that a killed process has written is lost; a machine that loses its power may forget the last images.
      this.#database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
    } catch (error) {
      if (error instanceof ImageError) throw error;
      throw new ImageError(
        'store',
        `cannot use the image store ${directory}: ${messageOf(error)}; remove that folder to begin with an empty one`,
        { cause: error },
      );
    }
  }

  /**
   * Does `work` while no other process writes. What it does is stored as a whole or, when it throws, not at all.
   *
   * @throws ImageError `no-space`; whatever `work` throws
   */
  write<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk may have undone it already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      if (!NO_SPACE.includes((error as { errcode?: number }).errcode ?? 0)) throw error;
      throw new ImageError('no-space', 'the disk of the image store is full', { cause: error });
    }
  }

  all(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#prepared(sql).run(...values);
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #check(path: string): void {
    const { application_id: id } = this.#database.prepare('PRAGMA application_id').get() as Row;
    const { user_version: version } = this.#database.prepare('PRAGMA user_version').get() as Row;
    if (id !== APPLICATION_ID) throw new ImageError('store', `${path} is not the index of an image store`);
    if (version === FORMAT) return;
    throw new ImageError(
      'store',
      `the image store at ${path} was made by another version (format ${version}, here ${FORMAT}); remove its folder, and images are pulled again`,
    );
  }
}

/** Makes it under another name first: whoever finds it finds it whole. */
function create(directory: string, path: string): void {
  const fresh = join(directory, `${FILE}.new-${process.pid}-${Date.now()}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    const database = new DatabaseSync(fresh);
    database.exec(SCHEMA);
    database.exec('PRAGMA journal_mode = WAL');
    database.close();
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}
