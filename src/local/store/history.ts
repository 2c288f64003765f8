import { CompactedError } from './errors.ts';
import type { Change } from './types.ts';

/**
 * The last changes of one table, oldest first.
 *
 * ```
 * limit 3, after five changes at revisions 2, 5, 6, 9, 12:
 *   kept       6, 9, 12
 *   compacted  5          a watch may resume after 5 or later; after 4 it may have missed 5
 * ```
 *
 * Old changes are dropped in batches, so that an append costs nothing but its push.
 */
export class History {
  readonly #limit: number;
  #changes: Change[] = [];
  #compacted: number;

  constructor(limit: number, compacted: number) {
    this.#limit = limit;
    this.#compacted = compacted;
  }

  /** Everything up to this revision is forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** Adds a change and drops old ones up to revision `floor` when there are too many. Returns those that were dropped. */
  append(change: Change, floor: number): readonly Change[] {
    this.#changes.push(change);
    const slack = Math.max(1, this.#limit >> 2);
    if (this.#changes.length < this.#limit + slack) return [];
    return this.#drop(Math.min(this.#changes.length - this.#limit, this.#firstAfter(floor)));
  }

  /** Forgets everything up to and including `revision`. Returns the changes that were dropped. */
  compact(revision: number): readonly Change[] {
    const dropped = this.#drop(this.#firstAfter(revision));
    this.#compacted = Math.max(this.#compacted, revision);
    return dropped;
  }

  /** Takes back the changes after `revision`, which never became durable. */
  truncate(revision: number): void {
    this.#changes.length = this.#firstAfter(revision);
  }

  /** Changes after `revision`, oldest first. Throws {@link CompactedError} when some of them are forgotten. */
  after(revision: number): readonly Change[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    return this.#changes.slice(this.#firstAfter(revision));
  }

  #drop(count: number): readonly Change[] {
    if (count <= 0) return [];
    const dropped = this.#changes.slice(0, count);
    this.#changes = this.#changes.slice(count);
    const last = dropped.at(-1);
    if (last !== undefined) this.#compacted = last.revision;
    return dropped;
  }

  /** Index of the first change after `revision`, by bisection. */
  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const change = this.#changes[middle];
      if (change !== undefined && change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
