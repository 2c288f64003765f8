import { userInfo } from 'node:os';
import type { Context, ControlPlane } from '../access/context.ts';
import { ensureOwnedProject } from '../project/create-project.ts';
import { ACCOUNTS } from '../store/store.ts';
import { insertUser } from '../user/create-user.ts';

/** The user of a server for one person, and a project of that user. */
interface LocalPerson {
  readonly username: string;
  readonly project: string;
}

/**
 * The user of a server for one person, and the project; the first start creates them: the user of this machine. There is no password; the link of
 * `turnsole ui` signs in.
 */
export async function ensureLocalPerson(plane: ControlPlane): Promise<LocalPerson> {
  const name = personName();
  return plane.store.transaction(ACCOUNTS, async (tx) => {
    const someone = await tx.db
      .selectFrom('users')
      .select(['id', 'username'])
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    const user =
      someone ??
      (await insertUser(tx, plane, {
        ...{ username: name, email: '', name, role: 'admin', password_hash: null },
        ...{ initial_login: 0, created_by: name },
      }));
    const { username } = user;
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
    return { username, project: await ensureOwnedProject(tx, context, user) };
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
