import type { Context } from '../access/context.ts';
import type { SessionRow, UserRow } from '../store/tables/users.ts';
import type { Tx } from '../store/transaction.ts';

/** A stored session; its token can be signed after the commit. */
export interface OpenedSession {
  readonly id: string;
  readonly expiresAt: number;
}

/** Opens a session of a user: its token authenticates as that user until it expires or is revoked. */
export async function openSession(
  tx: Tx,
  { plane, origin }: Context,
  user: UserRow,
  options: Pick<SessionRow, 'kind' | 'name'> & { readonly seconds: number },
): Promise<OpenedSession> {
  const { kind, name, seconds } = options;
  const session = { id: plane.ids.id(), expiresAt: tx.now + seconds * 1000 };
  await tx.db
    .insertInto('sessions')
    .values({
      id: session.id,
      user_id: user.id,
      kind,
      name,
      created_at: tx.now,
      expires_at: session.expiresAt,
      last_used_at: tx.now,
      made_from: origin.address,
    })
    .execute();
  return session;
}

/** The text of a session's token. */
export function tokenOf({ plane }: Context, user: UserRow, session: OpenedSession): Promise<string> {
  const { id, role, username } = user;
  return plane.tokens.sign({
    uid: id,
    role,
    username,
    session: session.id,
    expiresAt: session.expiresAt,
  });
}

/** Revokes all sessions and tokens of a user, except `kept`. */
export async function endSessions(tx: Tx, user: string, kept = ''): Promise<void> {
  await tx.db.deleteFrom('sessions').where('user_id', '=', user).where('id', '!=', kept).execute();
}
