import type { Change } from './types.ts';

export type Watcher = (change: Change) => void;

/** The watchers of one table: those of a namespace are only called for its changes. */
export class Watchers {
  readonly #all = new Set<Watcher>();
  readonly #byNamespace = new Map<string, Set<Watcher>>();

  get size(): number {
    let size = this.#all.size;
    for (const set of this.#byNamespace.values()) size += set.size;
    return size;
  }

  /** Returns the function that removes the watcher again; it may be called during delivery. */
  add(watcher: Watcher, namespace?: string): () => void {
    const set = namespace === undefined ? this.#all : this.#space(namespace);
    set.add(watcher);
    return () => {
      set.delete(watcher);
      if (namespace !== undefined && set.size === 0 && this.#byNamespace.get(namespace) === set) {
        this.#byNamespace.delete(namespace);
      }
    };
  }

  deliver(change: Change): void {
    for (const watcher of this.#all) watcher(change);
    const some = this.#byNamespace.get(change.version.namespace);
    if (some !== undefined) for (const watcher of some) watcher(change);
  }

  #space(namespace: string): Set<Watcher> {
    let set = this.#byNamespace.get(namespace);
    if (set === undefined) {
      set = new Set();
      this.#byNamespace.set(namespace, set);
    }
    return set;
  }
}
