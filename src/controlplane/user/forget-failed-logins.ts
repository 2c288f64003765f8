import type { Context } from '../access/context.ts';
import { ACCOUNTS } from '../store/store.ts';
import { FORGET_MS } from './throttle.ts';

/** More counts are not kept, whatever comes from how many addresses. */
const MOST_COUNTS = 100_000;

/** Deletes expired counts of failures, and the oldest of too many. */
export async function forgetFailedLogins({ plane }: Context): Promise<void> {
  await plane.store.transaction(ACCOUNTS, async ({ db, now }) => {
    await db
      .deleteFrom('login_failures')
      .where('last_at', '<=', now - FORGET_MS)
      .execute();
    const beyond = await db
      .selectFrom('login_failures')
      .select('last_at')
      .orderBy('last_at', 'desc')
      .offset(MOST_COUNTS)
      .limit(1)
      .executeTakeFirst();
    if (beyond === undefined) return;
    await db.deleteFrom('login_failures').where('last_at', '<=', beyond.last_at).execute();
  });
}
