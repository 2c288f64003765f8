import type { Version } from './types.ts';

/** A key as it is ordered. */
export type Key = Pick<Version, 'namespace' | 'name'>;

/**
 * The present objects of one table by namespace, and their names in order.
 *
 * Only lists need the order, so it is made on demand: names that were added since are sorted and merged into the rest, in
 * linear time. That makes it cheaper than a tree for the writes that dominate.
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
      space = { entries: new Map(), sorted: [], came: [], hasGone: false };
      this.#namespaces.set(version.namespace, space);
      this.#sortedNamespaces = undefined;
    }
    if (!space.entries.has(version.name)) {
      this.#size += 1;
      space.came.push(version.name);
    }
    space.entries.set(version.name, version);
  }

  delete(namespace: string, name: string): void {
    const space = this.#namespaces.get(namespace);
    if (space?.entries.delete(name) !== true) return;
    this.#size -= 1;
    space.hasGone = true;
    if (space.entries.size === 0) {
      this.#namespaces.delete(namespace);
      this.#sortedNamespaces = undefined;
    }
  }

  /**
   * Versions in the order of their keys (bytewise by namespace, then by name), of one namespace or of all; only those behind
   * `after` if it is given.
   */
  list(namespace?: string, after?: Key): Version[] {
    const found: Version[] = [];
    if (namespace !== undefined) {
      this.#append(namespace, found, after);
      return found;
    }
    // `a/x` sorts before `a-b/x` as text, but clients only rely on a stable order; namespaces are ordered as such.
    this.#sortedNamespaces ??= [...this.#namespaces.keys()].sort(compareKeys);
    for (const space of this.#sortedNamespaces) this.#append(space, found, after);
    return found;
  }

  /** In no particular order: for scans that sum up or search. */
  *values(): Generator<Version> {
    for (const space of this.#namespaces.values()) yield* space.entries.values();
  }

  #append(namespace: string, found: Version[], after: Key | undefined): void {
    const order = after === undefined ? 1 : compareKeys(namespace, after.namespace);
    const space = this.#namespaces.get(namespace);
    if (space === undefined || order < 0) return;
    const names = sortedNames(space);
    const first = order > 0 || after === undefined ? 0 : firstBehind(names, after.name);
    for (let index = first; index < names.length; index += 1) {
      const version = space.entries.get(names[index] ?? '');
      if (version !== undefined) found.push(version);
    }
  }
}

interface NamespaceEntries {
  readonly entries: Map<string, Version>;
  /** Names in order; without those that came since, with those that went since. */
  sorted: string[];
  came: string[];
  hasGone: boolean;
}

function sortedNames(space: NamespaceEntries): readonly string[] {
  const { entries } = space;
  if (space.hasGone) space.sorted = space.sorted.filter((name) => entries.has(name));
  if (space.came.length > 0) {
    const came = space.came.filter((name) => entries.has(name)).sort(compareKeys);
    space.sorted = merge(space.sorted, came, compareKeys);
  }
  space.came = [];
  space.hasGone = false;
  return space.sorted;
}

/**
 * One list out of two that are in order. What is in both, or twice in the second, is in it once: names that were removed and added
 * again are.
 */
function merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): T[] {
  const merged: T[] = [];
  const add = (next: T): void => {
    const last = merged.at(-1);
    if (last === undefined || compare(last, next) !== 0) merged.push(next);
  };
  let at = 0;
  for (const item of left) {
    for (let next = right[at]; next !== undefined && compare(next, item) < 0; next = right[at]) {
      add(next);
      at += 1;
    }
    add(item);
  }
  for (const next of right.slice(at)) add(next);
  return merged;
}

/** Index of the first name behind `name`, by bisection. */
function firstBehind(names: readonly string[], name: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((names[middle] ?? '') <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bytewise order; names are ASCII, so code units will do. */
function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of versions in lists: by namespace, then by name. */
export function compareVersions(a: Key, b: Key): number {
  return compareKeys(a.namespace, b.namespace) || compareKeys(a.name, b.name);
}

/** One list out of two that are in order and have no key in common. */
export function mergeVersions(left: readonly Version[], right: readonly Version[]): readonly Version[] {
  return right.length === 0 ? left : merge(left, right, compareVersions);
}
