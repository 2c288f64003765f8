import type { Context } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import type { UserRow } from '../../store/tables/users.ts';
import type { Tx } from '../../store/transaction.ts';
import { insertUser } from '../create-user.ts';
import { userNamed } from '../users.ts';
import type { Identity } from './identity.ts';

/**
 * The user of an identity: the one who has signed in by it before, else one whom an administrator has created with the verified
 * e-mail address as name, else a new one. An e-mail address that a user has entered does not count, since users can enter any.
 */
export async function linkedUser(tx: Tx, { plane }: Context, identity: Identity): Promise<UserRow> {
  const known = await tx.db
    .selectFrom('users')
    .selectAll()
    .where('oidc_subject', '=', identity.subject)
    .executeTakeFirst();
  if (known !== undefined) return known;
  const expected = identity.email === '' ? undefined : await userNamed(tx.db, identity.email);
  if (expected !== undefined && expected.oidc_subject === null) return link(tx, expected, identity.subject);
  for (const username of identity.usernames) {
    if ((await userNamed(tx.db, username)) !== undefined) continue;
    return insertUser(tx, plane, {
      ...{ username, email: identity.email, name: identity.name, role: 'user', password_hash: null },
      ...{ initial_login: 0, created_by: username, oidc_subject: identity.subject },
    });
  }
  throw new Refusal('conflict', 'all names for this account are taken; ask an administrator');
}

/** Links a user, who then need not replace the initial password. */
async function link(tx: Tx, user: UserRow, subject: string): Promise<UserRow> {
  const linked = { oidc_subject: subject, initial_login: 0, updated_at: tx.now } as const;
  await tx.db.updateTable('users').set(linked).where('id', '=', user.id).execute();
  return { ...user, ...linked };
}
