import type { Context } from '../access/context.ts';
import { ACCOUNTS } from '../store/store.ts';
import { FORGET_MS } from './throttle.ts';

/** Deletes expired counts of failures. */
export async function forgetFailedLogins({ plane }: Context): Promise<void> {
  await plane.store.transaction(ACCOUNTS, async ({ db, now }) => {
    await db
      .deleteFrom('login_failures')
      .where('last_at', '<=', now - FORGET_MS)
      .execute();
  });
}
