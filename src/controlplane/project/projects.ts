import { type People, peopleOf, userDetails } from '../access/lists.ts';
import type { MemberRow, ProjectRow } from '../store/tables/projects.ts';
import type { UserRow } from '../store/tables/users.ts';
import type { Reader } from '../store/transaction.ts';

/** A member with the shown fields of the user. */
export type MemberDetails = MemberRow & Pick<UserRow, 'username' | 'email' | 'name' | 'deactivated_at'>;

/** Maximum number of members in one answer. */
const MOST_MEMBERS = 10_000;

export function projectById(db: Reader, id: string): Promise<ProjectRow | undefined> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .where('removed', '=', 0)
    .executeTakeFirst();
}

/** Members of projects, including invited ones, in the order of their invitations. */
export async function membersOf(db: Reader, projects: readonly string[]): Promise<readonly MemberDetails[]> {
  if (projects.length === 0) return [];
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('members')
    .select(['users.username', 'users.email', 'users.name', 'users.deactivated_at'])
    .where('project_id', 'in', projects)
    .orderBy('invited_at')
    .orderBy('user_id')
    .limit(MOST_MEMBERS)
    .execute();
}

/** A user's membership in a project; undefined if there is none. */
export function memberRow(db: Reader, project: string, user: string): Promise<MemberRow | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('project_id', '=', project)
    .where('user_id', '=', user)
    .executeTakeFirst();
}

/** Projects with their members, as clients see them. */
export async function withMembers(db: Reader, rows: readonly ProjectRow[]): Promise<readonly object[]> {
  const members = await membersOf(
    db,
    rows.map(({ id }) => id),
  );
  const groups = Map.groupBy(members, ({ project_id }) => project_id);
  const people = await peopleOf(db, rows);
  return rows.map((row) => asProject(row, groups.get(row.id) ?? [], people));
}

/** A project as clients see it. */
function asProject(row: ProjectRow, members: readonly MemberDetails[], people: People): object {
  return { ...projectDetails(row, people), members: members.map(asMember) };
}

/** A project without its members. */
export function projectDetails(row: ProjectRow, person: People = userDetails): object {
  return {
    projectID: row.id,
    name: row.name,
    description: row.description,
    tags: JSON.parse(row.tags) as string[],
    state: 'active',
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: person(row.created_by),
    updatedBy: person(row.updated_by),
    isRemoved: row.removed === 1,
  };
}

/** A member as clients see it. */
export function asMember(row: MemberDetails): object {
  return {
    userID: row.user_id,
    username: row.username,
    email: row.email,
    name: row.name,
    role: row.role,
    invitation: row.invitation,
    joinedAt: row.joined_at ?? row.invited_at,
    ...(row.deactivated_at !== null && { deactivatedAt: row.deactivated_at }),
  };
}
