import { audit } from '../access/audit.ts';
import { type Context, type ControlPlane, userOf } from '../access/context.ts';
import { optionalChoice, optionalText, readFields, requiredText, secretText } from '../access/fields.ts';
import { peopleOf } from '../access/lists.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { ACCOUNTS } from '../store/store.ts';
import { madeBy } from '../store/tables/columns.ts';
import type { UserRow } from '../store/tables/users.ts';
import type { Tx } from '../store/transaction.ts';
import { checkEmail, checkPassword, checkUsername, nameKey } from './policy.ts';
import { asUser, userNamed } from './users.ts';

const FIELDS = {
  username: requiredText(254),
  password: secretText,
  role: optionalChoice(['admin', 'user']),
  email: optionalText(254),
  name: optionalText(),
};

/** Creates a user, who has to choose a new password at the first sign-in. @throws Refusal */
export async function createUser(args: Arguments, context: Context): Promise<object> {
  const { username, password, role, email = '', name = '' } = readFields(args, FIELDS, UPSTREAM_BODIES.user);
  if (role === undefined) throw new Refusal('invalid', 'role is missing', { fields: ['role'] });
  checkUsername(username);
  checkPassword(password);
  checkEmail(email);
  const maker = userOf(context).username;
  const hash = await context.plane.passwords.hash(password);
  return context.transaction(ACCOUNTS, async (tx) => {
    if ((await userNamed(tx.db, username)) !== undefined) {
      throw new Refusal('conflict', 'This username is already assigned to another user', {
        status: 401,
        error: 'user_exists',
      });
    }
    const draft = { username, email, name, role, password_hash: hash, initial_login: 1 } as const;
    const made = await insertUser(tx, context.plane, { ...draft, created_by: maker });
    const after = asUser(made, await peopleOf(tx.db, [made]));
    await audit(tx, context, { kind: 'user', id: made.id, after });
    return after;
  });
}

type NewUser = Pick<
  UserRow,
  'username' | 'email' | 'name' | 'role' | 'password_hash' | 'initial_login' | 'created_by'
> & { readonly oidc_subject?: string };

/** Writes the row of a user whose name is free. */
export async function insertUser(tx: Tx, { ids }: ControlPlane, user: NewUser): Promise<UserRow> {
  const row: UserRow = {
    oidc_subject: null,
    ...user,
    id: ids.id(),
    name_key: nameKey(user.username),
    deactivated_at: null,
    ...madeBy(user.created_by, tx.now),
  };
  await tx.db.insertInto('users').values(row).execute();
  return row;
}
