import { StoreUnavailableError } from './errors.ts';
import type { Store } from './store.ts';
import type { Tx } from './transaction.ts';

/** Something that waits for its scope's turn, and who waits for it. */
interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (outcome: O) => void;
  readonly reject: (error: unknown) => void;
}

/** The more, the fewer statements for each; the fewer, the shorter a scope is held. */
const MOST_TOGETHER = 64;

/**
 * Does small pieces of work of one kind for many callers: what comes while a scope is busy is handed to `work` together, in the order that it
 * came in, in one transaction. A thousand words of agents cost some hundred statements that way. When `work` fails for several, each is done
 * alone, so that nobody fails by another's mistake.
 */
export class Gatherer<I, O> {
  readonly #store: Pick<Store, 'transaction'>;
  readonly #work: (tx: Tx, items: readonly I[]) => Promise<readonly O[]>;
  readonly #waiting = new Map<string, Waiting<I, O>[]>();

  /** @param work gives the outcome of each item, in their order; may be called again when its transaction is repeated */
  constructor(
    store: Pick<Store, 'transaction'>,
    work: (tx: Tx, items: readonly I[]) => Promise<readonly O[]>,
  ) {
    this.#store = store;
    this.#work = work;
  }

  /** @returns the item's outcome, when it is committed. @throws as `Store.transaction` */
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
      // Work gives as many outcomes as it was given items.
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

  /** Who comes from now on waits for another turn. */
  #begin(scope: string, waiting: readonly Waiting<I, O>[]): void {
    if (this.#waiting.get(scope) === waiting) this.#waiting.delete(scope);
  }
}
