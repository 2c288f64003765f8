/** An object as it is kept: immutable from the moment it is handed to the store. */
export interface StoreObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    /** Set by the store at each commit. */
    resourceVersion?: string;
  };
}

/** One version of one object. Shared by reads, lists, watch events and the event log; never changed after its commit. */
export interface Version {
  /** `namespace/name`, or `name` for cluster-scoped objects. */
  readonly key: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly object: StoreObject;
  /** Global revision at which this version came to be (for a deletion: at which the object went). */
  readonly revision: number;
  /** Serialised forms by the API version they are served as; filled by {@link encodeVersion}. */
  readonly encoded: Map<string, Buffer>;
  /** About how long its JSON is, in characters; see {@link estimateSize}. */
  readonly size: number;
}

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * One committed change. For DELETED, `version` holds the last state with the deletion's revision, as watchers see it,
 * and `previous` the state before.
 */
export interface Change {
  readonly type: ChangeType;
  readonly table: string;
  readonly revision: number;
  readonly version: Version;
  readonly previous: Version | undefined;
}

/** The present state of one table, or of one of its namespaces, at a revision. */
export interface Snapshot {
  readonly revision: number;
  /** In the order of keys. */
  readonly versions: readonly Version[];
}

/**
 * Durability seam: takes every change inside its commit, makes it safe a moment later, and reports so.
 *
 * A journal that accepts a change must report `durable` or `failed` for it sooner or later, in the order of revisions,
 * and never inside `append`.
 */
export interface Journal {
  /** The state of an earlier process; read once, before everything else. */
  restore?(): RestoredState;
  /** Says who wants to know; called once, before the first `append`. */
  connect(listener: JournalListener): void;
  /** Called inside each commit, before any reader sees the change; when it throws, nothing was changed. */
  append(change: Change): void;
  /** The history of a table up to `revision` is not needed any more; `dropped` are the changes that go, oldest first. */
  forget?(table: string, revision: number, dropped: readonly Change[]): void;
  /** Writes what changes nothing, to find out whether writing works again after it failed; the listener gets how it went. */
  attempt?(): Promise<void>;
}

/** What a journal reports to its store. */
export interface JournalListener {
  /** Everything up to `revision` is safe. */
  durable(revision: number): void;
  /** Nothing after the last durable revision was kept: the store undoes it, and its writers get this error. */
  failed(error: Error): void;
}

/** A change as a journal keeps it. */
export interface RestoredChange {
  readonly type: ChangeType;
  readonly table: string;
  readonly revision: number;
  readonly object: StoreObject;
}

/** What a journal gives back at a start. */
export interface RestoredState {
  /** Revision of the last durable commit. */
  readonly revision: number;
  /** By table: the revision up to which its history is forgotten; of older changes only the remaining objects are left. */
  readonly compacted: ReadonlyMap<string, number>;
  /** In the order of revisions. */
  readonly changes: Iterable<RestoredChange>;
}

/** A receiver of durable changes, called in the order of revisions. It must not throw and not write to the store. */
export interface WatchOptions {
  readonly table: string;
  /** Only this namespace; absent: all. */
  readonly namespace?: string;
  /** Changes after this revision are delivered; those of the past first, before `watch` returns. */
  readonly after: number;
  readonly onChange: (change: Change) => void;
}

export interface StoreOptions {
  readonly journal?: Journal;
  /**
   * Changes kept per table for watches that resume and for paging at an old revision. Older ones are compacted.
   * @default 10_000
   */
  readonly historyLimit?: number;
  /**
   * Characters of JSON that these changes may hold per table: large changes are forgotten earlier.
   * @default 64 Mi
   */
  readonly historySizeLimit?: number;
  /**
   * Bytes of JSON that one object may have.
   * @default 1.5 Mi
   */
  readonly objectLimitBytes?: number;
}
