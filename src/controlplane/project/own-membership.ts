import { type Context, userOf } from '../access/context.ts';
import { optionalText, readFields, requiredText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { projectScope } from '../store/store.ts';
import type { Reader } from '../store/transaction.ts';
import { changeMember } from './change-members.ts';
import { decideAnswer, decideLeave } from './decide-membership.ts';
import { keysKnownTo } from './known-keys.ts';
import { memberRow } from './projects.ts';

/** Upstream's clients send the user as well, who has to be the caller. */
const FIELDS = { projectID: requiredText(), userID: optionalText() };

/** Accepts the caller's invitation to a project. @throws Refusal */
export async function acceptInvitation(args: Arguments, context: Context): Promise<object> {
  await answerInvitation(args, context, 'Accepted');
  return { message: 'Successful' };
}

/** Declines the caller's invitation to a project. @throws Refusal */
export async function declineInvitation(args: Arguments, context: Context): Promise<object> {
  await answerInvitation(args, context, 'Declined');
  return { message: 'successful' };
}

async function answerInvitation(
  args: Arguments,
  context: Context,
  answer: 'Accepted' | 'Declined',
): Promise<void> {
  const { project, user } = ownPlace(args, context);
  await context.transaction(projectScope(project), async (tx) => {
    const invitation = decideAnswer(await memberRow(tx.db, project, user), answer);
    const joined = invitation === 'Accepted' ? { joined_at: tx.now } : {};
    await changeMember(tx, context, project, user, { invitation, ...joined });
  });
}

/** The caller leaves a project, which keeps an owner. @throws Refusal */
export async function leaveProject(args: Arguments, context: Context): Promise<object> {
  const { project, user } = ownPlace(args, context);
  const known = await context.transaction(projectScope(project), async (tx) => {
    const owners = await otherOwners(tx.db, project, user);
    const before = await memberRow(tx.db, project, user);
    const invitation = decideLeave(before, owners);
    await changeMember(tx, context, project, user, { invitation });
    return keysKnownTo(tx.db, before);
  });
  return { message: 'successful', ...known };
}

/** @throws Refusal if the request names another user than the caller */
function ownPlace(args: Arguments, context: Context): { readonly project: string; readonly user: string } {
  const { projectID, userID } = readFields(args, FIELDS, UPSTREAM_BODIES.member);
  const { id } = userOf(context);
  if (userID !== undefined && userID !== '' && userID !== id) {
    throw new Refusal('forbidden', 'this is done for oneself only', { fields: ['userID'] });
  }
  return { project: projectID, user: id };
}

/** Active owners besides the user. */
async function otherOwners(db: Reader, project: string, user: string): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', '=', project)
    .where('user_id', '!=', user)
    .where('members.role', '=', 'Owner')
    .where('invitation', '=', 'Accepted')
    .where('deactivated_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}
