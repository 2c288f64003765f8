import { audit } from '../access/audit.ts';
import { type Context, userOf } from '../access/context.ts';
import { optionalText, optionalTruth, readFields, requiredText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { ACCOUNTS } from '../store/store.ts';
import type { UserRow } from '../store/tables/users.ts';
import type { Tx } from '../store/transaction.ts';
import { checkEmail } from './policy.ts';
import { endSessions } from './sessions.ts';
import { asUser, knownUser, userById, userNamed } from './users.ts';

const DETAILS = { email: optionalText(254), name: optionalText() };

/** Changes the given fields of the caller's own details. @throws Refusal */
export async function updateDetails(args: Arguments, context: Context): Promise<object> {
  const { email, name } = readFields(args, DETAILS, UPSTREAM_BODIES.userDetails);
  checkEmail(email ?? '');
  const { id } = userOf(context);
  await context.transaction(ACCOUNTS, async (tx) => {
    const before = knownUser(await userById(tx.db, id));
    await change(tx, context, before, { email: email ?? before.email, name: name ?? before.name });
  });
  return { message: 'User details updated successfully' };
}

/** Deactivates a user, whose sessions and tokens end at once, or reactivates one. @throws Refusal */
export async function updateState(args: Arguments, context: Context): Promise<object> {
  const { username, isDeactivate } = readFields(args, {
    username: requiredText(254),
    isDeactivate: optionalTruth,
  });
  if (isDeactivate === undefined)
    throw new Refusal('invalid', 'isDeactivate is missing', { fields: ['isDeactivate'] });
  const caller = userOf(context);
  await context.transaction(ACCOUNTS, async (tx) => {
    const before = knownUser(await userNamed(tx.db, username));
    if (isDeactivate) {
      refuseDeactivation(before, caller.id);
      await endSessions(tx, before.id);
    }
    await change(tx, context, before, { deactivated_at: isDeactivate ? tx.now : null });
  });
  return { message: "user's state updated successfully" };
}

/** Administrators cannot deactivate themselves, so that one always remains. @throws Refusal in upstream's words */
function refuseDeactivation(user: UserRow, caller: string): void {
  const why =
    user.id === caller
      ? 'cannot remove admin'
      : user.deactivated_at !== null
        ? 'user already deactivated'
        : undefined;
  if (why !== undefined) throw new Refusal('invalid', why, { error: why });
}

async function change(
  tx: Tx,
  context: Context,
  before: UserRow,
  changed: Partial<Pick<UserRow, 'email' | 'name' | 'deactivated_at'>>,
): Promise<void> {
  const stamp = { updated_at: tx.now, updated_by: userOf(context).username };
  await tx.db
    .updateTable('users')
    .set({ ...changed, ...stamp })
    .where('id', '=', before.id)
    .execute();
  const after = asUser({ ...before, ...changed, ...stamp });
  await audit(tx, context, { kind: 'user', id: before.id, before: asUser(before), after });
}
