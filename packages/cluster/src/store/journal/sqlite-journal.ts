import { close, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { Change, Journal, JournalListener, RestoredChange, RestoredState } from '../types.ts';
import { DATABASE, damaged, openDatabase, readLockHolder, writeLockHolder } from './database.ts';
import { JournalError, SQLITE, sqliteCode } from './errors.ts';
import { changeOf, type Row, rowOf } from './record.ts';

const syncData = promisify(fdatasync);
const closeFile = promisify(close);

/** The log is written back into the database when about this much is in it: some milliseconds of work. */
const DEFAULT_CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** What a transaction costs in the log besides its rows: pages that it only touches. */
const TRANSACTION_BYTES = 12 * 1024;
/** Old rows removed per transaction, so that no writer waits long for them. */
const GARBAGE_PER_BATCH = 500;
/** After a failed write the disk gets this much time, so that a full one does not keep the process busy. */
const RETRY_MS = 200;

interface SqliteJournalOptions {
  readonly directory: string;
  readonly clock?: Clock;
  /** So much may be in the log before it is written back into the database. @default 4 MiB */
  readonly checkpointBytes?: number;
  /** The folder's database, opened by `openDatabase`; the journal closes it. @default opened here */
  readonly database?: DatabaseSync;
}

/**
 * Keeps the changes of a store in a SQLite database: all commits of one turn of the event loop, or of the time that the
 * sync before them took, become one transaction and one sync (group commit). The transaction is written on this thread,
 * which takes microseconds per change; the sync, which takes as long as the disk needs, runs beside it.
 *
 * SQLite alone would sync inside COMMIT and stop everything for that time. So it runs with `synchronous = NORMAL`, which
 * syncs at checkpoints only and keeps the file consistent in any case, and the log is synced here before a change
 * counts as durable.
 */
export class SqliteJournal implements Journal {
  readonly directory: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #clock: Clock;
  readonly #checkpointBytes: number;
  #listener: JournalListener | undefined;
  #queue: Change[] = [];
  /** Tables whose history got shorter: to which revision. */
  readonly #compacted = new Map<string, number>();
  readonly #settings = new Map<string, string>();
  #garbage: number[] = [];
  #state: JournalState;
  #log: number | undefined;
  #unwrittenBytes = 0;
  #hasBaseline = false;
  #isScheduled = false;
  /** A batch is written even if it changes nothing. */
  #isTrial = false;
  #running: Promise<boolean> | undefined;
  #pauseUntilMs = 0;
  #broken: JournalError | undefined;

  /** @throws DataFolderError when the folder cannot be used */
  constructor({ directory, clock, checkpointBytes, database }: SqliteJournalOptions) {
    this.directory = directory;
    this.#checkpointBytes = checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES;
    this.#clock = clock ?? systemClock;
    this.#database = database ?? openDatabase(directory);
    this.#statements = prepare(this.#database);
    this.#state = readState(this.#statements);
    // The writes of opening are safe before the first batch: at any time at most one transaction is not.
    fdatasyncSync(this.#openLog());
  }

  /** Whatever the cluster remembers besides its objects. */
  setting(name: string): string | undefined {
    const waiting = this.#settings.get(name);
    if (waiting !== undefined) return waiting;
    const value = this.#statements.setting.get(name)?.value;
    return typeof value === 'string' ? value : undefined;
  }

  /** Remembered with the next batch of changes; not waited for. */
  setSetting(name: string, value: string): void {
    if (this.setting(name) === value) return;
    this.#settings.set(name, value);
    this.#schedule();
  }

  /** Folder of what the cluster before this one ran with, when that did not end in order. */
  get previousRunDir(): string | undefined {
    return readLockHolder(this.directory)?.runDir;
  }

  /** Shows other processes who has the folder. Absent: nothing that runs. */
  holdFor(runDir: string | undefined): void {
    writeLockHolder(this.directory, { pid: process.pid, runDir });
  }

  /**
   * Everything that was kept, checked row by row.
   *
   * @throws DataFolderError when a row is damaged or missing
   */
  restore(): RestoredState {
    const compacted = new Map<string, number>();
    const changes: RestoredChange[] = [];
    const newest = new Map<string, number>();
    let sum = 0;
    const path = join(this.directory, DATABASE);
    try {
      for (const { tbl, revision } of this.#statements.compactions.all()) {
        compacted.set(String(tbl), Number(revision));
      }
      for (const found of this.#statements.changes.iterate()) {
        // The columns are those of a Row, and STRICT tables hold their types.
        const row = found as unknown as Row;
        const change = changeOf(row);
        if (change === undefined)
          throw damaged(path, `the change ${row.revision} of ${row.tbl} in it is damaged`);
        sum ^= row.sum;
        changes.push(change);
        this.#noteSuperseded(change, compacted.get(change.table) ?? 0, newest);
      }
    } catch (error) {
      const code = sqliteCode(error);
      if (code === undefined) throw error;
      throw damaged(path, `it is damaged (${error instanceof Error ? error.message : code})`, error);
    }
    const { revision, rows } = this.#state;
    const last = changes.at(-1)?.revision ?? 0;
    if (changes.length !== rows || sum >>> 0 !== this.#state.sum || last > revision) {
      throw damaged(path, `${rows} changes were written to it, and not the same ${changes.length} are in it`);
    }
    return { revision, compacted, changes };
  }

  /** A crash between a compaction and the removal of its rows leaves some that are not needed. */
  #noteSuperseded(
    { type, table, revision, object }: RestoredChange,
    compacted: number,
    newest: Map<string, number>,
  ): void {
    if (revision > compacted) return;
    const key = `${table} ${object.metadata.namespace ?? ''} ${object.metadata.name ?? ''}`;
    const older = newest.get(key);
    if (older !== undefined) this.#garbage.push(older);
    if (type !== 'DELETED') newest.set(key, revision);
    else {
      newest.delete(key);
      this.#garbage.push(revision);
    }
  }

  connect(listener: JournalListener): void {
    this.#listener = listener;
    if (this.#garbage.length > 0) this.#schedule();
  }

  append(change: Change): void {
    this.#queue.push(change);
    this.#schedule();
  }

  forget(table: string, revision: number, dropped: readonly Change[]): void {
    this.#compacted.set(table, revision);
    for (const { type, revision: at, previous } of dropped) {
      if (previous !== undefined) this.#garbage.push(previous.revision);
      if (type === 'DELETED') this.#garbage.push(at);
    }
    this.#schedule();
  }

  /** At most one write for each pause after a failed one: until then what is known of that one holds. */
  async attempt(): Promise<void> {
    if (this.#broken !== undefined || this.#pauseUntilMs > this.#clock.monotonic()) return;
    this.#isTrial = true;
    await this.#run();
  }

  /** Writes what is pending, if the disk takes it, and closes the database, which removes the log. Idempotent. */
  async close(): Promise<void> {
    while (this.#hasWork() || this.#running !== undefined) {
      // Trying again at once would keep the process busy for as long as the disk is full. Nothing that counts is lost:
      // changes were refused, and what was to be forgotten is still there and is forgotten after the next opening.
      if (!(await (this.#running ?? this.#run()))) break;
    }
    this.#broken ??= new JournalError('closed', 'the write was refused: the cluster is closing');
    if (this.#log !== undefined) await closeFile(this.#log);
    this.#log = undefined;
    if (this.#database.isOpen) this.#database.close();
  }

  #hasWork(): boolean {
    if (this.#queue.length > 0) return true;
    if (this.#broken !== undefined) return false;
    return this.#isTrial || this.#compacted.size > 0 || this.#garbage.length > 0 || this.#settings.size > 0;
  }

  /** At the end of this turn: one batch holds everything that the turn commits. */
  #schedule(): void {
    if (this.#isScheduled || this.#running !== undefined || this.#listener === undefined) return;
    this.#isScheduled = true;
    const begin = (): void => {
      this.#isScheduled = false;
      void this.#run();
    };
    const pauseMs = this.#pauseUntilMs - this.#clock.monotonic();
    if (pauseMs > 0) this.#clock.setTimer(pauseMs, begin);
    else setImmediate(begin);
  }

  #run(): Promise<boolean> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      if (this.#hasWork()) this.#schedule();
    });
    return this.#running;
  }

  /**
   * Batch after batch, each synced before the next is begun: only the last one can be torn by a crash. Gives whether all
   * of them were kept.
   */
  async #work(): Promise<boolean> {
    while (this.#hasWork()) {
      const changes = this.#queue;
      this.#queue = [];
      const isTrial = this.#isTrial;
      this.#isTrial = false;
      try {
        if (this.#broken !== undefined) throw this.#broken;
        const state = this.#write(changes, isTrial);
        await syncData(this.#openLog());
        this.#state = state;
      } catch (error) {
        this.#fail(error);
        return false;
      }
      // Before the first is acknowledged: a log that is lost later must not leave an empty cluster.
      if (!this.#hasBaseline) this.#checkpoint();
      this.#hasBaseline = true;
      this.#listener?.durable(this.#state.revision);
      if (this.#unwrittenBytes > this.#checkpointBytes) this.#checkpoint();
    }
    return true;
  }

  /** One transaction: all of it or nothing. */
  #write(changes: readonly Change[], isTrial: boolean): JournalState {
    const { insert, remove, setCompacted, setSetting, setState } = this.#statements;
    const garbage = this.#garbage.slice(0, GARBAGE_PER_BATCH);
    const compacted = [...this.#compacted];
    let { revision, rows, sum } = this.#state;
    let bytes = TRANSACTION_BYTES;
    this.#database.exec('BEGIN IMMEDIATE');
    for (const change of changes) {
      const row = rowOf(change);
      insert.run(row.revision, row.type, row.tbl, row.body, row.sum);
      revision = row.revision;
      rows += 1;
      sum = (sum ^ row.sum) >>> 0;
      bytes += row.body.length;
    }
    if (isTrial) {
      // The pages that a new object takes, without the object.
      insert.run(revision + 1, 0, '', '', 0);
      remove.get(revision + 1);
    }
    // The mark is set with the first removal or before it: rows that remain are then known to be superseded.
    for (const [table, until] of compacted) setCompacted.run(table, until);
    for (const at of garbage) {
      const removed = remove.get(at)?.sum;
      if (typeof removed !== 'number') continue;
      rows -= 1;
      sum = (sum ^ removed) >>> 0;
    }
    const settings = [...this.#settings];
    for (const [name, value] of settings) setSetting.run(name, value);
    setState.run(revision, rows, sum);
    this.#database.exec('COMMIT');
    this.#garbage = this.#garbage.slice(garbage.length);
    for (const [table, until] of compacted)
      if (this.#compacted.get(table) === until) this.#compacted.delete(table);
    for (const [name, value] of settings) if (this.#settings.get(name) === value) this.#settings.delete(name);
    this.#unwrittenBytes += bytes;
    return { revision, rows, sum };
  }

  /** The log, to sync it. It stays the same file as long as the database is open. */
  #openLog(): number {
    this.#log ??= openSync(join(this.directory, `${DATABASE}-wal`), 'r');
    return this.#log;
  }

  #checkpoint(): void {
    try {
      this.#statements.checkpoint.get();
      this.#unwrittenBytes = 0;
    } catch {
      // No room for it: the log grows until a checkpoint succeeds; writers get the error when the log has no room either.
      this.#unwrittenBytes = this.#checkpointBytes / 2;
    }
  }

  /** Refuses everything that is not durable; afterwards the database is as it was, or not used any more. */
  #fail(error: unknown): void {
    const cause = messageOf(error);
    if (this.#broken === undefined && !this.#isAsBefore()) {
      const message = `the write was refused: ${this.directory} cannot be written any more (${cause}); restart the cluster`;
      this.#broken = new JournalError('broken', message, { cause: error });
    }
    const isFull = sqliteCode(error) === SQLITE.full;
    const why = isFull ? 'the disk is full' : cause;
    const what = isFull ? 'make room' : 'see to the disk';
    this.#queue = [];
    this.#pauseUntilMs = this.#clock.monotonic() + RETRY_MS;
    this.#listener?.failed(
      this.#broken ??
        new JournalError(
          isFull ? 'full' : 'io',
          `the write was refused: it could not be kept in ${this.directory}: ${why}; ${what} and try again`,
          { cause: error },
        ),
    );
  }

  /**
   * Whether the database is as it was before the failed transaction. One that was written and could not be synced is
   * not: it must not be built upon, because the disk may have lost it, and it cannot be taken back.
   */
  #isAsBefore(): boolean {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      const { revision, rows, sum } = readState(this.#statements);
      return revision === this.#state.revision && rows === this.#state.rows && sum === this.#state.sum;
    } catch {
      return false;
    }
  }
}

interface JournalState {
  readonly revision: number;
  readonly rows: number;
  readonly sum: number;
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  const statement = (sql: string): StatementSync => database.prepare(sql);
  return {
    insert: statement('INSERT INTO changes VALUES (?, ?, ?, ?, ?)'),
    remove: statement('DELETE FROM changes WHERE revision = ? RETURNING sum'),
    changes: statement('SELECT revision, type, tbl, body, sum FROM changes ORDER BY revision'),
    compactions: statement('SELECT tbl, revision FROM compactions'),
    setCompacted: statement('INSERT OR REPLACE INTO compactions VALUES (?, ?)'),
    state: statement('SELECT revision, rows, sum FROM state'),
    setState: statement('UPDATE state SET revision = ?, rows = ?, sum = ?'),
    setting: statement('SELECT value FROM settings WHERE name = ?'),
    setSetting: statement('INSERT OR REPLACE INTO settings VALUES (?, ?)'),
    checkpoint: statement('PRAGMA wal_checkpoint(PASSIVE)'),
  };
}

function readState({ state }: Statements): JournalState {
  const found = state.get();
  return { revision: Number(found?.revision), rows: Number(found?.rows), sum: Number(found?.sum) };
}
