/** What processes need of the store while they work, so that no other removes it or does the same work. */
import { watch } from 'node:fs';
import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import { ImageError } from '../errors.ts';
import type { StoreDatabase } from './database.ts';
import type { Owners } from './owners.ts';

/** What is needed: an image that is leased, a blob that is being brought, a layer of an image that is. */
type HoldKind = 'image' | 'blob' | 'tree';

/** The end of a process writes nothing that could be watched, so whoever waits for one looks as often as this. */
const LOOK_MS = 1_000;

export class Holds {
  readonly #directory: string;
  readonly #database: StoreDatabase;
  readonly #owners: Owners;
  /** How often each is held by this object: `kind key`. */
  readonly #counts = new Map<string, number>();
  /** Work of this object by key: the end of the last that asked for it. */
  readonly #queues = new Map<string, Promise<void>>();
  /** What was given up while the disk was full, by name: it is written down with the next thing that is. */
  readonly #unwritten = new Map<string, readonly [kind: HoldKind | 'work', key: string]>();

  constructor(directory: string, database: StoreDatabase, owners: Owners) {
    this.#directory = directory;
    this.#database = database;
    this.#owners = owners;
  }

  /**
   * Holds something until the returned function is called, which may be called more than once. To be called within a transaction.
   */
  hold(kind: HoldKind, key: string): () => void {
    const name = `${kind} ${key}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#unwritten.delete(name);
    this.#catchUp();
    this.#database.run('INSERT OR IGNORE INTO hold VALUES (?, ?, ?)', this.#owners.own(), kind, key);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const count = (this.#counts.get(name) ?? 1) - 1;
      this.#counts.set(name, count);
      if (count > 0) return;
      this.#counts.delete(name);
      this.#giveUp(kind, key);
    };
  }

  /** Never fails for want of room: whoever gives something up may do so because there is none, and has that to say. */
  #giveUp(kind: HoldKind | 'work', key: string): void {
    try {
      this.#database.write(() => this.#remove(kind, key));
    } catch (error) {
      if (!(error instanceof ImageError) || error.code !== 'no-space') throw error;
      this.#unwritten.set(`${kind} ${key}`, [kind, key]);
    }
  }

  #remove(kind: HoldKind | 'work', key: string): void {
    this.#database.run(
      'DELETE FROM hold WHERE owner = ? AND kind = ? AND key = ?',
      this.#owners.own(),
      kind,
      key,
    );
  }

  #catchUp(): void {
    for (const [kind, key] of this.#unwritten.values()) this.#remove(kind, key);
  }

  /** Forgets what processes held that have ended. To be called within a transaction. */
  dropDead(): void {
    this.#catchUp();
    for (const { owner } of this.#database.all('SELECT DISTINCT owner FROM hold')) {
      if (!this.#owners.isAlive(String(owner)))
        this.#database.run('DELETE FROM hold WHERE owner = ?', String(owner));
    }
    this.#owners.sweep();
  }

  /** Keys of a kind that anybody holds. */
  held(kind: HoldKind | 'work'): Set<string> {
    return new Set(
      this.#database.all('SELECT key FROM hold WHERE kind = ?', kind).map(({ key }) => String(key)),
    );
  }

  /** Does `work` while nobody else does work of that key, in this process or another; waits for its turn as long as it takes. */
  async alone<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(key);
    const mine = Promise.withResolvers<void>();
    this.#queues.set(key, mine.promise);
    try {
      await unlessAborted(before ?? Promise.resolve(), signal);
      while (!this.#database.write(() => this.#claim(key))) await this.#change(signal);
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        this.#giveUp('work', key);
      }
    } finally {
      mine.resolve();
      if (this.#queues.get(key) === mine.promise) this.#queues.delete(key);
    }
  }

  /** Of this object only one at a time asks for a key. */
  #claim(key: string): boolean {
    this.#unwritten.delete(`work ${key}`);
    this.#catchUp();
    const row = this.#database.get("SELECT owner FROM hold WHERE kind = 'work' AND key = ?", key);
    const owner = row === undefined ? undefined : String(row['owner']);
    if (owner !== undefined && owner !== this.#owners.own() && this.#owners.isAlive(owner)) return false;
    this.#database.run("DELETE FROM hold WHERE kind = 'work' AND key = ?", key);
    this.#database.run("INSERT INTO hold VALUES (?, 'work', ?)", this.#owners.own(), key);
    return true;
  }

  /** Resolves when the index may have changed: whatever is written to it changes a file of the folder. */
  #change(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        watcher.close();
        signal?.removeEventListener('abort', end);
        if (signal?.aborted === true) reject(signal.reason as Error);
        else resolve();
      };
      const timer = setTimeout(end, LOOK_MS);
      const watcher = watch(this.#directory, end);
      watcher.on('error', end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}
