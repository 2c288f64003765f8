import { audit } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { ensureOwnedProject } from '../project/create-project.ts';
import type { UserRow } from '../store/tables/users.ts';
import type { Tx } from '../store/transaction.ts';
import { type OpenedSession, openSession } from './sessions.ts';

/** Result of a sign-in. */
export interface SignedIn {
  readonly user: UserRow;
  readonly session: OpenedSession;
  /** A project of the user's own; empty while the password has to be replaced. */
  readonly project: string;
}

/** Opens a session for an authenticated user, and ensures a project of their own. @throws Refusal for a deactivated user */
export async function signIn(tx: Tx, context: Context, user: UserRow): Promise<SignedIn> {
  if (user.deactivated_at !== null) {
    const sentence = 'your account has been deactivated';
    throw new Refusal('forbidden', sentence, { status: 400, error: sentence });
  }
  await tx.db
    .deleteFrom('sessions')
    .where('user_id', '=', user.id)
    .where('expires_at', '<=', tx.now)
    .execute();
  const seconds = context.plane.settings.sessionSeconds;
  const session = await openSession(tx, context, user, { kind: 'session', name: '', seconds });
  const mine = asCalledBy(context, user, session.id);
  const project = user.initial_login === 1 ? '' : await ensureOwnedProject(tx, mine, user);
  await audit(tx, mine, { kind: 'session', id: session.id, after: { kind: 'session' } });
  return { user, session, project };
}

/** The same request, with the authenticated user as caller. */
function asCalledBy(context: Context, user: UserRow, session: string): Context {
  const { id, username, email, role } = user;
  const mustChangePassword = user.initial_login === 1;
  return { ...context, caller: { kind: 'user', id, username, email, role, session, mustChangePassword } };
}
