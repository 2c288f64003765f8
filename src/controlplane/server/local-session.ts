import type { ControlPlane } from '../access/context.ts';
import { ACCOUNTS } from '../store/store.ts';

/** Name that identifies its row among the sessions. */
const NAME = 'this machine';
/** Longer than a server runs without a restart, which creates a new session. */
const UNTIL_RESTART_MS = 365 * 86_400_000;

/**
 * Creates a session of the first administrator for commands on the server's own machine. Only the server's user can read the file with the
 * token, and could read the database as well. Ends the session of an earlier start.
 *
 * @param validMs as long as the session of a browser for one that gets it as a cookie
 * @returns the token; undefined while no administrator has replaced the initial password
 */
export async function openLocalSession(
  plane: ControlPlane,
  validMs = UNTIL_RESTART_MS,
): Promise<string | undefined> {
  const [session, expiresAt] = [plane.ids.id(), plane.clock.now() + validMs];
  const user = await plane.store.transaction(ACCOUNTS, async ({ db, now }) => {
    await db.deleteFrom('sessions').where('kind', '=', 'session').where('name', '=', NAME).execute();
    const admin = await db
      .selectFrom('users')
      .select(['id', 'role', 'username'])
      .where('role', '=', 'admin')
      .where('initial_login', '=', 0)
      .where('deactivated_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (admin === undefined) return undefined;
    await db
      .insertInto('sessions')
      .values({
        ...{ id: session, user_id: admin.id, kind: 'session', name: NAME, made_from: NAME },
        ...{ created_at: now, expires_at: expiresAt, last_used_at: now },
      })
      .execute();
    return admin;
  });
  if (user === undefined) return undefined;
  return plane.tokens.sign({ uid: user.id, role: user.role, username: user.username, session, expiresAt });
}
