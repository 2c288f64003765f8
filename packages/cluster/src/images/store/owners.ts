/**
 * Which processes use the store. Each has a file that it keeps locked; the kernel frees the lock when the process ends, in whatever way, and also
 * of processes of other containers and namespaces, whose numbers say nothing here.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLITE_BUSY: somebody has the lock. */
const BUSY = 5;
const ID_LENGTH = 36;
const ID = /^[\da-f-]{36}$/;

/** All methods are to be called within a transaction of the store: nobody is looked at while it is about to lock its file. */
export class Owners {
  readonly #folder: string;
  #own: { readonly id: string; readonly lock: DatabaseSync } | undefined;

  constructor(directory: string) {
    this.#folder = join(directory, 'owners');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** The name of this process, or rather of this object of it. */
  own(): string {
    if (this.#own !== undefined) return this.#own.id;
    const id = randomUUID();
    const lock = new DatabaseSync(join(this.#folder, id), { timeout: 0 });
    // Nothing is ever written, so there is nothing to undo.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    this.#own = { id, lock };
    return id;
  }

  /** Whether the process of that name still has the store open. Files of those that have not are removed. */
  isAlive(id: string): boolean {
    if (id === this.#own?.id) return true;
    const path = join(this.#folder, id);
    // Opening one that is not there would make it.
    if (!existsSync(path)) return false;
    const probe = new DatabaseSync(path, { timeout: 0 });
    try {
      probe.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      if ((error as { errcode?: number }).errcode === BUSY) return true;
      throw error;
    } finally {
      probe.close();
    }
    rmSync(path, { force: true });
    return false;
  }

  /** Removes the files of processes that have ended. */
  sweep(): void {
    for (const name of readdirSync(this.#folder)) {
      if (ID.test(name)) this.isAlive(name);
      // SQLite's own, of a process that was killed while it looked.
      else if (!existsSync(join(this.#folder, name.slice(0, ID_LENGTH))))
        rmSync(join(this.#folder, name), { force: true });
    }
  }

  release(): void {
    if (this.#own === undefined) return;
    rmSync(join(this.#folder, this.#own.id), { force: true });
    this.#own.lock.close();
    this.#own = undefined;
  }
}
