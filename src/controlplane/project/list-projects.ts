import { type Context, userOf } from '../access/context.ts';
import { optionalChoice, optionalCount, optionalText, optionalTruth, readFields } from '../access/fields.ts';
import { contains } from '../access/lists.ts';
import type { Arguments } from '../access/operations.ts';
import type { Reader } from '../store/transaction.ts';
import { withMembers } from './projects.ts';

const DEFAULT_LIMIT = 15;
const MOST = 50;
const FIELDS = {
  page: optionalCount(0, 1_000_000),
  limit: optionalCount(1, 1_000),
  sortField: optionalChoice(['name', 'time']),
  sortAscending: optionalTruth,
  createdByMe: optionalTruth,
  projectName: optionalText(),
};

/** The caller's projects, a page at a time. @throws Refusal */
export async function listProjects(args: Arguments, context: Context): Promise<object> {
  const { page = 0, limit = DEFAULT_LIMIT, sortField, sortAscending, ...filter } = readFields(args, FIELDS);
  const db = context.plane.store.read;
  const { id, username } = userOf(context);
  const matching = projectsOf(db, id)
    .$if(filter.createdByMe !== undefined, (query) =>
      query.where('projects.created_by', filter.createdByMe === true ? '=' : '!=', username),
    )
    .$if((filter.projectName ?? '') !== '', (query) =>
      query.where(({ ref }) => contains(ref('projects.name'), filter.projectName ?? '')),
    );
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (total === 0) return { message: 'No projects found' };
  const rows = await matching
    .selectAll('projects')
    .orderBy(
      sortField === 'name' ? 'projects.name' : 'projects.created_at',
      sortAscending === true ? 'asc' : 'desc',
    )
    .orderBy('projects.id')
    .offset(page * Math.min(limit, MOST))
    .limit(Math.min(limit, MOST))
    .execute();
  return { data: { projects: await withMembers(db, rows), totalNumberOfProjects: total } };
}

/** Projects that a user is a member of. */
export function projectsOf(db: Reader, user: string) {
  return db
    .selectFrom('projects')
    .innerJoin('members', 'members.project_id', 'projects.id')
    .where('members.user_id', '=', user)
    .where('members.invitation', '=', 'Accepted')
    .where('projects.removed', '=', 0);
}
