import { recordChange } from '../access/audit.ts';
import { ROLES } from '../access/caller.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { optionalText, readFields, requiredText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { projectScope } from '../store/store.ts';
import type { MemberRow } from '../store/tables/projects.ts';
import type { Tx } from '../store/transaction.ts';
import { decideInvitation, decideRemoval, decideRoleChange } from './decide-membership.ts';
import { keysKnownTo } from './known-keys.ts';
import { asMember, memberRow, membersOf } from './projects.ts';

const FIELDS = { projectID: requiredText(), userID: requiredText() };
const WITH_ROLE = { ...FIELDS, role: optionalText() };

/** Invites a user, also again after an invitation, a refusal or a departure. @throws Refusal */
export async function sendInvitation(args: Arguments, context: Context): Promise<object> {
  const { userID, role } = readFields(args, WITH_ROLE);
  const wanted = checkedRole(role);
  const { project } = memberOf(context);
  return context.transaction(projectScope(project), async (tx) => {
    await refuseUnknown(tx, userID);
    const before = await memberRow(tx.db, project, userID);
    const isAgain = decideInvitation(before) === 'again';
    const row: MemberRow = {
      project_id: project,
      user_id: userID,
      role: wanted,
      invitation: 'Pending',
      invited_at: tx.now,
      joined_at: null,
    };
    await tx.db
      .insertInto('members')
      .values(row)
      .onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doUpdateSet(row))
      .execute();
    await recordMember(tx, context, before, row);
    if (isAgain) return { message: 'Invitation sent successfully' };
    const made = (await membersOf(tx.db, [project])).find(({ user_id }) => user_id === userID);
    return { data: made === undefined ? null : asMember(made) };
  });
}

/** Withdraws an invitation, or removes a member. @throws Refusal */
export async function removeInvitation(args: Arguments, context: Context): Promise<object> {
  const { userID } = readFields(args, FIELDS, UPSTREAM_BODIES.member);
  const { project } = memberOf(context);
  const isCaller = userOf(context).id === userID;
  const known = await context.transaction(projectScope(project), async (tx) => {
    const before = await memberRow(tx.db, project, userID);
    const removal = decideRemoval(before, isCaller);
    if (removal === 'exit') {
      await changeMember(tx, context, project, userID, { invitation: 'Exited' });
      return keysKnownTo(tx.db, before);
    }
    await tx.db
      .deleteFrom('members')
      .where('project_id', '=', project)
      .where('user_id', '=', userID)
      .execute();
    await recordMember(tx, context, before, undefined);
    return {};
  });
  return { message: 'successful', ...known };
}

/** Gives a member another role. @throws Refusal */
export async function updateMemberRole(args: Arguments, context: Context): Promise<object> {
  const { userID, role } = readFields(args, WITH_ROLE);
  const wanted = checkedRole(role);
  const { project } = memberOf(context);
  const isCaller = userOf(context).id === userID;
  const known = await context.transaction(projectScope(project), async (tx) => {
    const before = await memberRow(tx.db, project, userID);
    decideRoleChange(before, isCaller);
    await changeMember(tx, context, project, userID, { role: wanted });
    return wanted === 'Viewer' ? keysKnownTo(tx.db, before) : {};
  });
  return { message: 'successful', ...known };
}

/** @throws Refusal in upstream's words */
function checkedRole(role: string | undefined): MemberRow['role'] {
  const known = ROLES.find((one) => one === role);
  if (known !== undefined) return known;
  throw new Refusal('invalid', 'Role is invalid', { error: 'invalid role', fields: ['role'] });
}

/** @throws Refusal if no user has the ID, or the account is deactivated */
async function refuseUnknown({ db }: Tx, user: string): Promise<void> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', user)
    .where('deactivated_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined)
    throw new Refusal('invalid', 'user does not exist', { error: 'user does not exist' });
}

/** Changes an existing member, and records it. */
export async function changeMember(
  tx: Tx,
  context: Context,
  project: string,
  user: string,
  changed: Partial<Pick<MemberRow, 'role' | 'invitation' | 'joined_at'>>,
): Promise<void> {
  const before = await memberRow(tx.db, project, user);
  if (before === undefined) throw new Error(`user ${user} is no member of project ${project}`);
  await tx.db
    .updateTable('members')
    .set(changed)
    .where('project_id', '=', project)
    .where('user_id', '=', user)
    .execute();
  await recordMember(tx, context, before, { ...before, ...changed });
}

async function recordMember(
  tx: Tx,
  context: Context,
  before: MemberRow | undefined,
  after: MemberRow | undefined,
): Promise<void> {
  const project = (after ?? before)?.project_id ?? '';
  const id = (after ?? before)?.user_id ?? '';
  const sides = { before: before && place(before), after: after && place(after) };
  await recordChange(tx, context, { project, kind: 'member', id, ...sides });
}

function place({ role, invitation }: MemberRow): object {
  return { role, invitation };
}
