import { type Context, userOf } from '../access/context.ts';
import { optionalCount, readFields, requiredText } from '../access/fields.ts';
import { pageRange } from '../access/lists.ts';
import { asUser, knownUser, userById } from './users.ts';

const PAGE = { page: optionalCount(0, 1_000_000), limit: optionalCount(1, 1_000) };
const ALL = 1_000;

/** Lets the caller name itself without knowing its ID, as a page does that has nothing but a cookie. */
const MYSELF = 'me';

/** A user: the caller, or for administrators anybody. Who is somebody else and who is nobody look alike. @throws Refusal */
export async function getUser(args: Readonly<Record<string, unknown>>, context: Context): Promise<object> {
  const { uid } = readFields(args, { uid: requiredText() });
  const caller = userOf(context);
  const id = uid === MYSELF ? caller.id : uid;
  const row =
    id === caller.id || caller.role === 'admin' ? await userById(context.plane.store.read, id) : undefined;
  return asUser(knownUser(row));
}

/** All users, a page at a time; a list without a frame, as upstream answers. */
export async function listUsers(args: Readonly<Record<string, unknown>>, context: Context): Promise<object> {
  const { page = 0, limit = ALL } = readFields(args, PAGE);
  const range = pageRange({ page, limit });
  const rows = await context.plane.store.read
    .selectFrom('users')
    .selectAll()
    .orderBy('name_key')
    .offset(range.offset)
    .limit(range.limit)
    .execute();
  return rows.map(asUser);
}

/** Users that a project does not have yet: as much of each as it takes to choose one. */
export async function usersToInvite(
  args: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<object> {
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
