import { type KubeObject, objectKey } from '../kinds/core.ts';

/** Gives the values under which an index finds an object. Pure: the same object always has the same values. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

/** Index by namespace; cluster-scoped objects are under `''`. */
export function indexByNamespace(object: KubeObject): readonly string[] {
  return [object.metadata.namespace ?? ''];
}

/** Index by the value of one label; objects without the label are in no entry. */
export function indexByLabel(label: string): IndexFunction<KubeObject> {
  return (object) => {
    const value = object.metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };
}

/** Index by the uids of all owners. */
export function indexByOwnerUid(object: KubeObject): readonly string[] {
  return (object.metadata.ownerReferences ?? []).map((owner) => owner.uid);
}

/**
 * Read-only view of an informer's local copy.
 *
 * All readers share the objects, which must not be changed; a write goes to the API server and comes
 * back by the watch. The view may be older than the server's state, never inconsistent.
 */
export interface Lister<T extends KubeObject> {
  /** @param key `namespace/name`, or `name` for cluster-scoped objects */
  get(key: string): T | undefined;
  list(): T[];
  keys(): string[];
  /** @throws RangeError for an unknown index: an empty answer would hide the mistake */
  byIndex(index: string, value: string): T[];
  readonly size: number;
}

/** Objects by key, found by any number of indexes. */
export class IndexedStore<T extends KubeObject> implements Lister<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: ReadonlyMap<string, Index<T>>;

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, valuesOf]) => [name, { valuesOf, entries: new Map() }]),
    );
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  byIndex(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) {
      throw new RangeError(
        `no index ${JSON.stringify(index)}; the informer has ${[...this.#indexes.keys()].join(', ') || 'none'}`,
      );
    }
    return [...(found.entries.get(value)?.values() ?? [])];
  }

  /** Stores an object and returns the one it replaces. */
  set(object: T): T | undefined {
    const key = objectKey(object);
    const old = this.#objects.get(key);
    if (old !== undefined) this.#unindex(key, old);
    this.#objects.set(key, object);
    for (const { valuesOf, entries } of this.#indexes.values()) {
      for (const value of valuesOf(object)) {
        const entry = entries.get(value);
        if (entry === undefined) entries.set(value, new Map([[key, object]]));
        else entry.set(key, object);
      }
    }
    return old;
  }

  /** Removes an object and returns it. */
  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    this.#unindex(key, old);
    return old;
  }

  #unindex(key: string, object: T): void {
    for (const { valuesOf, entries } of this.#indexes.values()) {
      for (const value of valuesOf(object)) {
        const entry = entries.get(value);
        entry?.delete(key);
        // An empty entry per uid ever seen would be a leak.
        if (entry?.size === 0) entries.delete(value);
      }
    }
  }
}

interface Index<T extends KubeObject> {
  readonly valuesOf: IndexFunction<T>;
  readonly entries: Map<string, Map<string, T>>;
}
