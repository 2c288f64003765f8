import { audit } from '../access/audit.ts';
import { type Context, userOf } from '../access/context.ts';
import type { Arguments } from '../access/operations.ts';
import { richAnswer } from '../http/rest.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { ACCOUNTS } from '../store/store.ts';

/** Revokes the caller's token, and deletes the cookie. */
export async function logout(_args: Arguments, context: Context): Promise<object> {
  const { session } = userOf(context);
  await context.transaction(ACCOUNTS, async (tx) => {
    await tx.db.deleteFrom('sessions').where('id', '=', session).execute();
    await audit(tx, context, { kind: 'session', id: session });
  });
  return richAnswer({
    headers: { 'set-cookie': sessionCookie(context, '') },
    body: { message: 'successfully logged out' },
  });
}
