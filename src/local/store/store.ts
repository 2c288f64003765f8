import { FutureRevisionError, StoreInvariantError } from './errors.ts';
import { History } from './history.ts';
import { compareVersions, Table } from './table.ts';
import type {
  Change,
  ChangeType,
  Snapshot,
  StoreObject,
  StoreOptions,
  Version,
  WatchOptions,
} from './types.ts';
import { type Watcher, Watchers } from './watchers.ts';

/** Enough for a controller that was away for a while; about 20 MB of pods in the worst table. */
const DEFAULT_HISTORY_LIMIT = 10_000;

/**
 * Objects of all kinds in memory, with every change numbered by one global revision (multi-version concurrency
 * control as etcd has it: a reader names a revision and sees the world as it was then).
 *
 * Everything is synchronous: a caller that reads, decides and commits without awaiting in between cannot race with
 * another. Objects handed in belong to the store from then on and must not be changed any more.
 *
 * Delivery: watchers are called inside the commit, in the order of revisions. A commit made by a watcher would reorder
 * deliveries and is refused.
 */
export class Store {
  readonly #options: StoreOptions;
  readonly #tables = new Map<string, TableState>();
  #revision = 1;
  #delivering = false;

  constructor(options: StoreOptions = {}) {
    this.#options = options;
  }

  /** Revision of the last commit. The first one is 2: revision 1 stands for the empty store. */
  get revision(): number {
    return this.#revision;
  }

  get(table: string, namespace: string, name: string): Version | undefined {
    return this.#tables.get(table)?.entries.get(namespace, name);
  }

  /** Number of present objects of a table. */
  count(table: string): number {
    return this.#tables.get(table)?.entries.size ?? 0;
  }

  /** Present objects of a table in no particular order. */
  values(table: string): Iterable<Version> {
    return this.#tables.get(table)?.entries.values() ?? [];
  }

  tables(): string[] {
    return [...this.#tables.keys()];
  }

  /** Present objects in the order of keys. */
  list(table: string, namespace?: string): Snapshot {
    const versions = this.#tables.get(table)?.entries.list(namespace) ?? [];
    return { revision: this.#revision, versions };
  }

  /**
   * Objects as they were at `revision`: the present ones with all later changes undone.
   * Throws {@link CompactedError} or {@link FutureRevisionError}.
   */
  listAt(table: string, revision: number, namespace?: string): Snapshot {
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    const state = this.#state(table);
    const later = state.history.after(revision);
    if (later.length === 0) return { revision, versions: state.entries.list(namespace) };
    const present = new Map(state.entries.list(namespace).map((version) => [version.key, version]));
    for (const change of later.toReversed()) {
      if (namespace !== undefined && change.version.namespace !== namespace) continue;
      if (change.previous === undefined) present.delete(change.version.key);
      else present.set(change.version.key, change.previous);
    }
    return { revision, versions: [...present.values()].sort(compareVersions) };
  }

  /** Adds an object that is not there yet. */
  create(table: string, object: StoreObject): Version {
    const { namespace = '', name = '' } = object.metadata;
    if (this.get(table, namespace, name) !== undefined) {
      throw new StoreInvariantError(`create ${table} ${namespace}/${name}: it is there already`);
    }
    return this.#commit('ADDED', table, object, undefined);
  }

  /** Replaces the version `previous`, which must be the present one. */
  update(table: string, previous: Version, object: StoreObject): Version {
    this.#mustBePresent(table, previous);
    return this.#commit('MODIFIED', table, object, previous);
  }

  /** Removes the present version `previous`; `last` is the state that watchers of the deletion see. */
  delete(table: string, previous: Version, last: StoreObject): Version {
    this.#mustBePresent(table, previous);
    return this.#commit('DELETED', table, last, previous);
  }

  /**
   * Delivers every change after `after`: first those of the past, inside this call, then each new one inside its
   * commit. Returns the function that ends the watch. Throws {@link CompactedError} when changes were forgotten and
   * {@link FutureRevisionError} when the revision does not exist yet.
   */
  watch(options: WatchOptions): () => void {
    const { table, namespace, after, onChange } = options;
    if (after > this.#revision) throw new FutureRevisionError(after, this.#revision);
    const state = this.#state(table);
    const missed = after === this.#revision ? [] : state.history.after(after);
    for (const change of missed) {
      if (namespace === undefined || change.version.namespace === namespace) onChange(change);
    }
    return state.watchers.add(onChange, namespace);
  }

  /** Called inside each commit of a table: for caches that must never be behind (RBAC, indexes). Not ended by anything. */
  observe(table: string, observer: Watcher): void {
    this.#state(table).watchers.add(observer);
  }

  /** Forgets the history up to `revision` in all tables, as etcd's compaction does. */
  compact(revision: number = this.#revision): void {
    for (const state of this.#tables.values()) state.history.compact(Math.min(revision, this.#revision));
  }

  /** Resolves when all commits so far are durable; at once where there is no journal. */
  flushed(): Promise<void> | undefined {
    return this.#options.journal?.flushed?.();
  }

  /** Number of running watches and observers. */
  get watcherCount(): number {
    let count = 0;
    for (const state of this.#tables.values()) count += state.watchers.size;
    return count;
  }

  /** For the self-check only. */
  history(table: string): History {
    return this.#state(table).history;
  }

  #mustBePresent(table: string, version: Version): void {
    if (this.get(table, version.namespace, version.name) !== version) {
      throw new StoreInvariantError(
        `write ${table} ${version.key}: revision ${version.revision} is not the present one`,
      );
    }
  }

  #commit(type: ChangeType, table: string, object: StoreObject, previous: Version | undefined): Version {
    if (this.#delivering) throw new StoreInvariantError(`write ${table}: a watcher must not write`);
    const state = this.#state(table);
    const revision = this.#revision + 1;
    object.metadata.resourceVersion = String(revision);
    const { namespace = '', name = '' } = object.metadata;
    const key = namespace === '' ? name : `${namespace}/${name}`;
    const version: Version = { key, namespace, name, object, revision, encoded: new Map() };
    const change: Change = { type, table, revision, version, previous };
    this.#options.journal?.append(change);
    this.#revision = revision;
    if (type === 'DELETED') state.entries.delete(namespace, name);
    else state.entries.set(version);
    state.history.append(change);
    this.#delivering = true;
    try {
      state.watchers.deliver(change);
    } finally {
      this.#delivering = false;
    }
    return version;
  }

  #state(table: string): TableState {
    let state = this.#tables.get(table);
    if (state === undefined) {
      // A table without changes has forgotten nothing: a watch may start at any revision.
      const history = new History(this.#options.historyLimit ?? DEFAULT_HISTORY_LIMIT, 0);
      state = { entries: new Table(), history, watchers: new Watchers() };
      this.#tables.set(table, state);
    }
    return state;
  }
}

interface TableState {
  readonly entries: Table;
  readonly history: History;
  readonly watchers: Watchers;
}
