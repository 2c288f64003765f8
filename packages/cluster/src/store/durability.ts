import type { Change, JournalListener } from './types.ts';

/** Actions on changes once it is known whether they were kept. */
interface DurabilityActions {
  /** The change is safe: watchers may see it. */
  deliver(change: Change): void;
  /** These changes, oldest first, were not kept; `revision` is the last one that was. */
  undo(changes: readonly Change[], revision: number): void;
}

interface Waiter extends PromiseWithResolvers<void> {
  readonly revision: number;
}

/**
 * Changes between their commit and the moment at which they are safe, and who waits for that.
 *
 * ```
 * revision 7 │ 8 9 10 │ 11 12        7 is durable, 8 to 10 are being written, 11 and 12 come with the next batch
 *            └ pending ──────┘        who committed 10 waits for 10 only, although 12 is there already
 * ```
 */
export class Durability implements JournalListener {
  readonly #actions: DurabilityActions;
  #revision: number;
  #pending: Change[] = [];
  #waiters: Waiter[] = [];
  #failure: Error | undefined;

  constructor(revision: number, actions: DurabilityActions) {
    this.#revision = revision;
    this.#actions = actions;
  }

  /** The last revision that is safe. */
  get revision(): number {
    return this.#revision;
  }

  /** Why the last write was not kept; undefined where it was. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  add(change: Change): void {
    this.#pending.push(change);
  }

  /** Resolves when everything up to `revision` is safe; undefined when it is. Those who wait for the same share a promise. */
  flushed(revision: number): Promise<void> | undefined {
    if (revision <= this.#revision) return undefined;
    const last = this.#waiters.at(-1);
    if (last?.revision === revision) return last.promise;
    const waiter = { revision, ...Promise.withResolvers<void>() };
    // Background work commits without waiting; a failure that is not awaited is not an unhandled one.
    waiter.promise.catch(() => {});
    this.#waiters.push(waiter);
    return waiter.promise;
  }

  durable(revision: number): void {
    this.#failure = undefined;
    const index = this.#pending.findIndex((change) => change.revision > revision);
    const safe = this.#pending.splice(0, index === -1 ? this.#pending.length : index);
    // One by one, so that a watch that begins during delivery starts at what was delivered.
    for (const change of safe) {
      this.#revision = change.revision;
      this.#actions.deliver(change);
    }
    const first = this.#waiters.findIndex((waiter) => waiter.revision > this.#revision);
    const done = this.#waiters.splice(0, first === -1 ? this.#waiters.length : first);
    for (const { resolve } of done) resolve();
  }

  failed(error: Error): void {
    this.#failure = error;
    const lost = this.#pending.splice(0);
    const waiters = this.#waiters.splice(0);
    this.#actions.undo(lost, this.#revision);
    for (const { reject } of waiters) reject(error);
  }
}
