import type { WatchEvent } from '../client/types.ts';
import { type KubeObject, objectKey } from '../kinds/core.ts';
import { compareResourceVersions } from './resource-version.ts';
import type { IndexedStore } from './store.ts';

/** One change of the local copy. Per key the sequence is always add, update…, delete, add… */
export type Change<T extends KubeObject> =
  | { readonly type: 'add'; readonly object: T }
  | { readonly type: 'update'; readonly old: T; readonly object: T }
  /** `object` is the last known state. */
  | { readonly type: 'delete'; readonly object: T };

type ObjectEvent<T extends KubeObject> = Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>;

/** Deletions remembered against late repetitions; far more than a stream ever delivers late. */
const MAX_TOMBSTONES = 1_000;

/**
 * Keeps a store equal to what lists and watches say, and reports what changed.
 *
 * Within one stream (a list and the watches that continue it) no object moves backwards: an item that is not newer
 * than the known version of its key is dropped. Deleted keys are remembered by their version for the same reason: in
 *
 *     ADDED a@5, DELETED a@7, MODIFIED a@6
 *
 * the last item is late, and without the memory of a@7 would bring `a` back for ever. A list starts a new stream: it is
 * believed whatever its versions are, as the server may have been restored from a backup.
 */
export class ObjectCache<T extends KubeObject> {
  readonly #store: IndexedStore<T>;
  readonly #tombstones = new Map<string, string>();

  constructor(store: IndexedStore<T>) {
    this.#store = store;
  }

  /** Takes a complete list over and returns the differences, deletions first. */
  replace(items: readonly T[]): Change<T>[] {
    this.#tombstones.clear();
    const listed = new Set(items.map((item) => objectKey(item)));
    const changes: Change<T>[] = [];
    for (const key of this.#store.keys()) {
      if (listed.has(key)) continue;
      const object = this.#store.delete(key);
      if (object !== undefined) changes.push({ type: 'delete', object });
    }
    for (const item of items) {
      const old = this.#store.get(objectKey(item));
      if (old !== undefined && isSame(old, item)) continue;
      changes.push(...this.#put(item));
    }
    return changes;
  }

  /** Takes one item of the watch over; no change when it is old news. */
  apply(event: ObjectEvent<T>): Change<T>[] {
    const { object } = event;
    const key = objectKey(object);
    if (!this.#isNews(key, object.metadata.resourceVersion)) return [];
    if (event.type !== 'DELETED') {
      this.#tombstones.delete(key);
      return this.#put(object);
    }
    const known = this.#store.delete(key);
    this.#bury(key, object.metadata.resourceVersion);
    // The item holds the state at deletion, which is newer than what we knew.
    return known === undefined ? [] : [{ type: 'delete', object }];
  }

  #isNews(key: string, version: string | undefined): boolean {
    const known = this.#store.get(key)?.metadata.resourceVersion ?? this.#tombstones.get(key);
    const order = compareResourceVersions(version, known);
    return order === undefined || order > 0;
  }

  /** The same name with another uid is another object: handlers that follow the first must get its deletion. */
  #put(object: T): Change<T>[] {
    const old = this.#store.set(object);
    if (old === undefined) return [{ type: 'add', object }];
    if (old.metadata.uid !== object.metadata.uid) {
      return [
        { type: 'delete', object: old },
        { type: 'add', object },
      ];
    }
    return [{ type: 'update', old, object }];
  }

  #bury(key: string, version: string | undefined): void {
    if (version === undefined) return;
    this.#tombstones.delete(key);
    this.#tombstones.set(key, version);
    if (this.#tombstones.size <= MAX_TOMBSTONES) return;
    const oldest = this.#tombstones.keys().next();
    if (oldest.done === false) this.#tombstones.delete(oldest.value);
  }
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    a.metadata.resourceVersion !== undefined &&
    a.metadata.resourceVersion === b.metadata.resourceVersion
  );
}
