import type { Store } from '../store/store.ts';
import type { Tx } from '../store/transaction.ts';
import { type Authorised, authorise } from './authorise.ts';
import type { Caller } from './caller.ts';
import type { ControlPlane } from './context.ts';
import type { Arguments, Operation } from './operations.ts';

/** What a handler may do for its caller. */
interface Allowed extends Authorised {
  readonly transaction: Store['transaction'];
}

/**
 * Authorises a caller for an operation, and gives the transactions for its handler: each authorises a user again before it reads or writes
 * anything. A role, an account or a session may have ended since the request came, by an earlier transaction of the same scope: of two owners who
 * remove each other, one stays.
 *
 * @throws Refusal, here and in transactions
 */
export async function allow(
  plane: ControlPlane,
  operation: Operation,
  args: Arguments,
  caller: Caller,
): Promise<Allowed> {
  const { store, settings, tokens } = plane;
  const authorised = await authorise(store.read, settings.version, operation, args, caller);
  if (caller.kind !== 'user' || operation.access.by === 'anyone') {
    return { ...authorised, transaction: store.transaction };
  }
  const again = async ({ db }: Tx): Promise<void> => {
    const current = await tokens.callerOf(caller.session, db);
    await authorise(db, settings.version, operation, args, current);
  };
  return {
    ...authorised,
    transaction: (scope, run) =>
      store.transaction(scope, async (tx) => {
        await again(tx);
        return run(tx);
      }),
  };
}
