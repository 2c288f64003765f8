import { type Context, userOf } from '../access/context.ts';
import { optionalChoice, optionalCount, readFields, requiredText } from '../access/fields.ts';
import { pageRange, peopleOf } from '../access/lists.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import type { Reader } from '../store/transaction.ts';
import { projectsOf } from './list-projects.ts';
import { asMember, membersOf, withMembers } from './projects.ts';

const MOST = 1_000;

/** Projects that the caller owns. */
export async function getOwnerProjects(args: Arguments, context: Context): Promise<object> {
  readFields(args, {});
  const db = context.plane.store.read;
  const rows = await projectsOf(db, userOf(context).id)
    .selectAll('projects')
    .where('members.role', '=', 'Owner')
    .orderBy('projects.created_at')
    .orderBy('projects.id')
    .limit(MOST)
    .execute();
  return { data: await withMembers(db, rows) };
}

/** A user with all projects: the caller, or for administrators any user. @throws Refusal */
export async function getUserWithProject(args: Arguments, context: Context): Promise<object> {
  const { username } = readFields(args, { username: requiredText(254) });
  const caller = userOf(context);
  const db = context.plane.store.read;
  const key = username.toLowerCase();
  if (key !== caller.username.toLowerCase() && caller.role !== 'admin')
    throw new Refusal('forbidden', 'only administrators look at other users');
  const user = await db.selectFrom('users').selectAll().where('name_key', '=', key).executeTakeFirst();
  if (user === undefined)
    throw new Refusal('invalid', 'user does not exist', { error: 'user does not exist' });
  const rows = await projectsOf(db, user.id)
    .selectAll('projects')
    .orderBy('projects.created_at')
    .orderBy('projects.id')
    .limit(MOST)
    .execute();
  const person = await peopleOf(db, [user]);
  return {
    data: {
      ...{ id: user.id, username: user.username, email: user.email, name: user.name },
      projects: await withMembers(db, rows),
      ...{ createdAt: user.created_at, updatedAt: user.updated_at, isRemoved: false },
      ...{ createdBy: person(user.created_by), updatedBy: person(user.updated_by) },
    },
  };
}

/** Projects to which the caller is or was invited. @throws Refusal */
export async function listInvitations(args: Arguments, context: Context): Promise<object> {
  const { invitation_state: state } = readFields(args, {
    invitation_state: optionalChoice(['Pending', 'Accepted']),
  });
  const db = context.plane.store.read;
  const rows = await db
    .selectFrom('members')
    .innerJoin('projects', 'projects.id', 'members.project_id')
    .select(['projects.id', 'projects.name', 'members.role'])
    .where('user_id', '=', userOf(context).id)
    .where('invitation', '=', state ?? 'Pending')
    .where('projects.removed', '=', 0)
    .$if(state === 'Accepted', (query) => query.where('members.role', '!=', 'Owner'))
    .orderBy('invited_at', 'desc')
    .orderBy('projects.id')
    .limit(MOST)
    .execute();
  const owners = await ownersOf(
    db,
    rows.map(({ id }) => id),
  );
  const data = rows.map(({ id, name, role }) => ({
    projectID: id,
    projectName: name,
    projectOwner: owners.get(id) ?? null,
    invitationRole: role,
  }));
  return { data };
}

/** The first owner of each project. */
async function ownersOf(db: Reader, projects: readonly string[]): Promise<ReadonlyMap<string, object>> {
  const members = await membersOf(db, projects);
  const owners = members.filter(({ role, invitation }) => role === 'Owner' && invitation === 'Accepted');
  return new Map(owners.toReversed().map((owner) => [owner.project_id, asMember(owner)]));
}

/** All projects with their owners and numbers of members, for administrators. */
export async function getProjectsStats(args: Arguments, context: Context): Promise<object> {
  const { page = 0, limit = MOST } = readFields(args, {
    page: optionalCount(0, 1_000_000),
    limit: optionalCount(1, MOST),
  });
  const db = context.plane.store.read;
  const range = pageRange({ page, limit });
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where('removed', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .offset(range.offset)
    .limit(range.limit)
    .execute();
  if (rows.length === 0) return { message: 'No projects found' };
  const members = await membersOf(
    db,
    rows.map(({ id }) => id),
  );
  const accepted = Map.groupBy(
    members.filter(({ invitation }) => invitation === 'Accepted'),
    ({ project_id }) => project_id,
  );
  const data = rows.map(({ id, name }) => {
    const all = accepted.get(id) ?? [];
    const owner = all
      .filter(({ role }) => role === 'Owner')
      .map(({ user_id, username }) => ({ userID: user_id, username }));
    return { name, projectID: id, members: { owner, total: all.length } };
  });
  return { data };
}
