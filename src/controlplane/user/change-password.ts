import { audit } from '../access/audit.ts';
import { type Context, userOf } from '../access/context.ts';
import { readFields, requiredText, secretText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { ensureOwnedProject } from '../project/create-project.ts';
import { ACCOUNTS } from '../store/store.ts';
import { wrongCredentials } from './login.ts';
import { checkPassword, nameKey } from './policy.ts';
import { endSessions } from './sessions.ts';
import { attemptSucceeded, countAttempt, forgetFailures } from './throttle.ts';
import { knownUser, userById, userNamed } from './users.ts';

const OWN_FIELDS = { oldPassword: secretText, newPassword: secretText };
const OTHERS_FIELDS = { username: requiredText(254), newPassword: secretText };

/**
 * Replaces the caller's password. Ends all other sessions and all tokens, in case the old password has leaked.
 *
 * @throws Refusal
 */
export async function updatePassword(args: Arguments, context: Context): Promise<object> {
  const { oldPassword, newPassword } = readFields(args, OWN_FIELDS, UPSTREAM_BODIES.userPassword);
  const { id, username, session } = userOf(context);
  const { store, passwords } = context.plane;
  checkPassword(newPassword);
  if (oldPassword === newPassword) {
    const sentence = "old and new passwords can't be same";
    throw new Refusal('invalid', sentence, { error: sentence });
  }
  // Who is signed in is not kept out by the guesses of others.
  const attempt = { nameKey: nameKey(username), address: context.origin.address, device: session };
  await store.transaction(ACCOUNTS, (tx) => countAttempt(tx, attempt));
  const known = knownUser(await userById(store.read, id));
  if (!(await passwords.match(oldPassword, known.password_hash))) throw wrongCredentials();
  const hash = await passwords.hash(newPassword);
  const project = await context.transaction(ACCOUNTS, async (tx) => {
    const user = knownUser(await userById(tx.db, id));
    if (user.password_hash !== known.password_hash) throw wrongCredentials();
    await attemptSucceeded(tx, attempt);
    await tx.db
      .updateTable('users')
      .set({ password_hash: hash, initial_login: 0, updated_at: tx.now, updated_by: username })
      .where('id', '=', id)
      .execute();
    await endSessions(tx, id, session);
    await audit(tx, context, { kind: 'password', id });
    return ensureOwnedProject(tx, context, user);
  });
  return { message: 'password has been updated successfully', projectID: project };
}

/**
 * Sets another user's password, which the user has to replace at the next sign-in. Ends all sessions and tokens of the user.
 *
 * @throws Refusal
 */
export async function resetPassword(args: Arguments, context: Context): Promise<object> {
  const { username, newPassword } = readFields(args, OTHERS_FIELDS, UPSTREAM_BODIES.userPassword);
  const admin = userOf(context);
  checkPassword(newPassword);
  if (nameKey(username) === nameKey(admin.username)) {
    throw new Refusal(
      'invalid',
      'your own password is changed by POST /update/password, which asks for the old one',
      {
        fields: ['username'],
      },
    );
  }
  const { store, passwords } = context.plane;
  knownUser(await userNamed(store.read, username));
  const hash = await passwords.hash(newPassword);
  await context.transaction(ACCOUNTS, async (tx) => {
    const user = knownUser(await userNamed(tx.db, username));
    await tx.db
      .updateTable('users')
      .set({ password_hash: hash, initial_login: 1, updated_at: tx.now, updated_by: admin.username })
      .where('id', '=', user.id)
      .execute();
    await endSessions(tx, user.id);
    await forgetFailures(tx, user.name_key);
    await audit(tx, context, { kind: 'password', id: user.id });
  });
  return { message: 'password has been reset successfully' };
}
