import { userInfo } from 'node:os';
import type { Context, ControlPlane } from '../access/context.ts';
import { ensureOwnedProject } from '../project/create-project.ts';
import { ACCOUNTS } from '../store/store.ts';
import { insertUser } from '../user/create-user.ts';

/**
 * Creates the user of a server for one person, with a project: the user of this machine. There is no password; the link of
 * `turnsole ui` signs in.
 */
export async function ensureLocalPerson(plane: ControlPlane): Promise<void> {
  const username = personName();
  await plane.store.transaction(ACCOUNTS, async (tx) => {
    const someone = await tx.db.selectFrom('users').select('id').limit(1).executeTakeFirst();
    if (someone !== undefined) return;
    const user = await insertUser(tx, plane, {
      ...{ username, email: '', name: username, role: 'admin', password_hash: null },
      ...{ initial_login: 0, created_by: username },
    });
    const context: Context = {
      plane,
      transaction: plane.store.transaction,
      caller: {
        ...{ kind: 'user', id: user.id, username, email: '', role: 'admin' },
        ...{ mustChangePassword: false, session: '' },
      },
      origin: { address: '', serverUrl: '' },
      operation: 'turnsole ui',
      signal: plane.signal,
    };
    await ensureOwnedProject(tx, context, user);
  });
}

/** A container may run as a user without a name. */
function personName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 0}`;
  }
}
