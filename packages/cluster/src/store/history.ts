import { CompactedError } from './errors.ts';
import type { Change } from './types.ts';

/** How much of a table's past is kept: whichever is reached first. */
export interface HistoryLimits {
  /** Changes. */
  readonly count: number;
  /** Characters of JSON of all their versions. */
  readonly size: number;
}

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
  readonly #limits: HistoryLimits;
  #size = 0;
  #changes: Change[] = [];
  #compacted: number;

  constructor(limits: HistoryLimits, compacted: number) {
    this.#limits = limits;
    this.#compacted = compacted;
  }

  /** Everything up to this revision is forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** Characters of JSON of all kept versions, about. */
  get size(): number {
    return this.#size;
  }

  /** Adds a change and drops old ones up to revision `floor` when they are too many. Returns the dropped ones. */
  append(change: Change, floor: number): readonly Change[] {
    this.#changes.push(change);
    this.#size += change.version.size;
    const { count, size } = this.#limits;
    if (this.#changes.length < count + slackOf(count) && this.#size < size + slackOf(size)) return [];
    return this.#drop(Math.min(this.#surplus(), this.#firstAfter(floor)));
  }

  /** Forgets everything up to and including `revision`. Returns the changes that were dropped. */
  compact(revision: number): readonly Change[] {
    const dropped = this.#drop(this.#firstAfter(revision));
    this.#compacted = Math.max(this.#compacted, revision);
    return dropped;
  }

  /** Takes back the changes after `revision`, which never became durable. */
  truncate(revision: number): void {
    for (const { version } of this.#changes.splice(this.#firstAfter(revision))) this.#size -= version.size;
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
    for (const { version } of dropped) this.#size -= version.size;
    return dropped;
  }

  /** How many of the oldest changes are too many. */
  #surplus(): number {
    let surplus = Math.max(0, this.#changes.length - this.#limits.count);
    let size = this.#size;
    for (const [index, { version }] of this.#changes.entries()) {
      if (index >= surplus && size <= this.#limits.size) break;
      size -= version.size;
      surplus = Math.max(surplus, index + 1);
    }
    return surplus;
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

/** Over the limit by so much before it is dropped back to the limit. */
function slackOf(limit: number): number {
  return Math.max(1, limit >> 2);
}
