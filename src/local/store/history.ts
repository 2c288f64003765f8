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

  append(change: Change): void {
    this.#changes.push(change);
    const slack = Math.max(1, this.#limit >> 2);
    if (this.#changes.length >= this.#limit + slack) this.#drop(this.#changes.length - this.#limit);
  }

  /** Forgets everything up to and including `revision`. */
  compact(revision: number): void {
    this.#drop(this.#firstAfter(revision));
    this.#compacted = Math.max(this.#compacted, revision);
  }

  /** Changes after `revision`, oldest first. Throws {@link CompactedError} when some of them are forgotten. */
  after(revision: number): readonly Change[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    return this.#changes.slice(this.#firstAfter(revision));
  }

  #drop(count: number): void {
    if (count <= 0) return;
    const last = this.#changes[count - 1];
    this.#changes = this.#changes.slice(count);
    if (last !== undefined) this.#compacted = last.revision;
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
