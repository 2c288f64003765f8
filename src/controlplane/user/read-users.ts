import { type Context, userOf } from '../access/context.ts';
import { optionalCount, readFields, requiredText } from '../access/fields.ts';
import { pageRange, peopleOf } from '../access/lists.ts';
import type { Arguments } from '../access/operations.ts';
import { asUser, knownUser, userById } from './users.ts';

const PAGE = { page: optionalCount(0, 1_000_000), limit: optionalCount(1, 1_000) };
const ALL = 1_000;

/** Stands for the caller, for pages that have only a cookie and do not know the ID. */
const MYSELF = 'me';

/** A user: the caller, or for administrators any user. Other and unknown users give the same error. @throws Refusal */
export async function getUser(args: Arguments, context: Context): Promise<object> {
  const { uid } = readFields(args, { uid: requiredText() });
  const caller = userOf(context);
  const id = uid === MYSELF ? caller.id : uid;
  const db = context.plane.store.read;
  const row = id === caller.id || caller.role === 'admin' ? await userById(db, id) : undefined;
  const user = knownUser(row);
  return asUser(user, await peopleOf(db, [user]));
}

/** All users, a page at a time; a bare list, as in upstream. */
export async function listUsers(args: Arguments, context: Context): Promise<object> {
  const { page = 0, limit = ALL } = readFields(args, PAGE);
  const range = pageRange({ page, limit });
  const db = context.plane.store.read;
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .orderBy('name_key')
    .offset(range.offset)
    .limit(range.limit)
    .execute();
  const people = await peopleOf(db, rows);
  return rows.map((row) => asUser(row, people));
}

/** Users who are not members of a project, with the fields for choosing one. */
export async function usersToInvite(args: Arguments, context: Context): Promise<object> {
  const {
    project_id: project,
    page = 0,
    limit = ALL,
  } = readFields(args, {
    project_id: requiredText(),
    ...PAGE,
  });
  const range = pageRange({ page, limit });
  const rows = await context.plane.store.read
    .selectFrom('users')
    .select(['id', 'username', 'email', 'name'])
    .where('deactivated_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members')
            .select('role')
            .where('project_id', '=', project)
            .whereRef('members.user_id', '=', 'users.id'),
        ),
      ),
    )
    .orderBy('name_key')
    .offset(range.offset)
    .limit(range.limit)
    .execute();
  return { data: rows.map(({ id, ...row }) => ({ userID: id, ...row })) };
}
