import { StoreUnavailableError } from './errors.ts';
import type { Store } from './store.ts';
import type { Tx } from './transaction.ts';

/** An item that waits for its scope, and the promise of its caller. */
interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (outcome: O) => void;
  readonly reject: (error: unknown) => void;
}

/** More means fewer statements per item; fewer means that a scope is locked for less time. */
const MOST_TOGETHER = 64;

/**
 * Batches small pieces of work of one kind for many callers: items that arrive while a scope is busy go to `work` together, in their order,
 * in one transaction. So a thousand reports of agents cost some hundred statements. If `work` fails for several items, each runs
 * alone, so that no caller fails because of another.
 */
export class Gatherer<I, O> {
  readonly #store: Pick<Store, 'transaction'>;
  readonly #work: (tx: Tx, items: readonly I[]) => Promise<readonly O[]>;
  readonly #waiting = new Map<string, Waiting<I, O>[]>();

  /** @param work returns the outcome of each item, in their order; may be called again if its transaction is repeated */
  constructor(
    store: Pick<Store, 'transaction'>,
    work: (tx: Tx, items: readonly I[]) => Promise<readonly O[]>,
  ) {
    this.#store = store;
    this.#work = work;
  }

  /** @returns the item's outcome, after its commit. @throws as `Store.transaction` */
  do(scope: string, item: I): Promise<O> {
    const { promise, resolve, reject } = Promise.withResolvers<O>();
    const waiting = this.#waiting.get(scope);
    if (waiting !== undefined && waiting.length < MOST_TOGETHER) {
      waiting.push({ item, resolve, reject });
    } else {
      const first = [{ item, resolve, reject }];
      this.#waiting.set(scope, first);
      void this.#carryOut(scope, first);
    }
    return promise;
  }

  /** Never rejects. */
  async #carryOut(scope: string, waiting: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const outcomes = await this.#store.transaction(scope, (tx) => {
        this.#begin(scope, waiting);
        return this.#work(
          tx,
          waiting.map(({ item }) => item),
        );
      });
      // `work` returns one outcome per item.
      for (const [index, { resolve }] of waiting.entries()) resolve(outcomes[index] as O);
    } catch (error) {
      this.#begin(scope, waiting);
      if (waiting.length === 1 || error instanceof StoreUnavailableError) {
        for (const { reject } of waiting) reject(error);
      } else {
        for (const one of waiting) await this.#carryOut(scope, [one]);
      }
    }
  }

  /** Later items wait for another turn. */
  #begin(scope: string, waiting: readonly Waiting<I, O>[]): void {
    if (this.#waiting.get(scope) === waiting) this.#waiting.delete(scope);
  }
}
