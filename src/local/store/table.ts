import type { Version } from './types.ts';

/**
 * The present objects of one table by namespace, and their keys in order.
 *
 * Order is needed only by lists, so it is made when one asks and kept until a key comes or goes. A sort of an almost
 * sorted array is nearly linear, which makes this cheaper than a tree for the writes that dominate.
 */
export class Table {
  readonly #namespaces = new Map<string, NamespaceEntries>();
  #sortedNamespaces: string[] | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): Version | undefined {
    return this.#namespaces.get(namespace)?.entries.get(name);
  }

  set(version: Version): void {
    let space = this.#namespaces.get(version.namespace);
    if (space === undefined) {
      space = { entries: new Map(), sorted: undefined };
      this.#namespaces.set(version.namespace, space);
      this.#sortedNamespaces = undefined;
    }
    if (!space.entries.has(version.name)) {
      this.#size += 1;
      space.sorted = undefined;
    }
    space.entries.set(version.name, version);
  }

  delete(namespace: string, name: string): void {
    const space = this.#namespaces.get(namespace);
    if (space?.entries.delete(name) !== true) return;
    this.#size -= 1;
    space.sorted = undefined;
    if (space.entries.size === 0) {
      this.#namespaces.delete(namespace);
      this.#sortedNamespaces = undefined;
    }
  }

  /** Versions in the order of their keys (bytewise by `namespace/name`), of one namespace or of all. */
  list(namespace?: string): Version[] {
    const found: Version[] = [];
    if (namespace !== undefined) {
      this.#append(namespace, found);
      return found;
    }
    // `a/x` sorts before `a-b/x` as text, but clients only rely on a stable order; namespaces are ordered as such.
    this.#sortedNamespaces ??= [...this.#namespaces.keys()].sort(compareKeys);
    for (const space of this.#sortedNamespaces) this.#append(space, found);
    return found;
  }

  /** In no particular order: for scans that sum up or search. */
  *values(): Generator<Version> {
    for (const space of this.#namespaces.values()) yield* space.entries.values();
  }

  #append(namespace: string, found: Version[]): void {
    const space = this.#namespaces.get(namespace);
    if (space === undefined) return;
    space.sorted ??= [...space.entries.keys()].sort(compareKeys);
    for (const name of space.sorted) {
      const version = space.entries.get(name);
      if (version !== undefined) found.push(version);
    }
  }
}

interface NamespaceEntries {
  readonly entries: Map<string, Version>;
  sorted: string[] | undefined;
}

/** Bytewise order; names are ASCII, so code units will do. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of versions in lists: by namespace, then by name. */
export function compareVersions(a: Version, b: Version): number {
  return compareKeys(a.namespace, b.namespace) || compareKeys(a.name, b.name);
}
