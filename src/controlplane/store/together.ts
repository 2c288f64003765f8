import { allInOrder } from '@turnsole/kube/base/all-in-order';

/**
 * Waits for statements that were sent without waiting for each other's answers; the database still executes them in order.
 *
 * @throws the error of the first one that failed, after all have ended: in a transaction the later ones fail because of it
 */
export async function together(statements: readonly Promise<unknown>[]): Promise<void> {
  await allInOrder(statements);
}
