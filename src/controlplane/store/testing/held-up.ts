import type { Store } from '../store.ts';
import type { Tx } from '../transaction.ts';

/** Keeps transactions of some scopes open until it is disposed of. */
export async function holdUp(store: Store, scopes: readonly string[]): Promise<AsyncDisposable> {
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const held = scopes.map((scope) =>
    store.transaction(scope, async () => {
      entered.resolve();
      await release.promise;
    }),
  );
  await entered.promise;
  return {
    [Symbol.asyncDispose]: async () => {
      release.resolve();
      await Promise.all(held);
    },
  };
}

/** Resolves when so many more transactions have been asked for. */
export function writersOf(store: Store, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const transaction = store.transaction.bind(store);
  let asked = 0;
  store.transaction = <T>(scope: string, run: (tx: Tx) => Promise<T>): Promise<T> => {
    asked += 1;
    if (asked === count) resolve();
    return transaction(scope, run);
  };
  return promise;
}
