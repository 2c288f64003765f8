import { audit } from '../access/audit.ts';
import { type Context, userOf } from '../access/context.ts';
import { optionalText, optionalTexts, readFields } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { ACCOUNTS } from '../store/store.ts';
import { madeBy } from '../store/tables/columns.ts';
import type { ProjectRow } from '../store/tables/projects.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import { projectDetails, withMembers } from './projects.ts';

const NAME_CHARACTERS = 200;
const FIELDS = {
  projectName: optionalText(NAME_CHARACTERS),
  description: optionalText(),
  tags: optionalTexts(50),
};

/** Creates a project owned by the caller. @throws Refusal */
export async function createProject(args: Arguments, context: Context): Promise<object> {
  const { projectName, description, tags } = readFields(args, FIELDS, UPSTREAM_BODIES.newProject);
  const name = checkedName(projectName);
  const { id: user } = userOf(context);
  return context.transaction(ACCOUNTS, async (tx) => {
    await refuseTaken(tx.db, user, name, `project with name:${name} already exists`);
    const row = await insertProject(tx, context, user, { name, description, tags });
    const [project] = await withMembers(tx.db, [row]);
    return { data: project };
  });
}

/** The first project that the context's caller owns; creates one if there is none. @returns its ID */
export async function ensureOwnedProject(
  tx: Tx,
  context: Context,
  user: { readonly id: string; readonly username: string },
): Promise<string> {
  const owned = await tx.db
    .selectFrom('members')
    .innerJoin('projects', 'projects.id', 'members.project_id')
    .select('projects.id')
    .where('user_id', '=', user.id)
    .where('members.role', '=', 'Owner')
    .where('invitation', '=', 'Accepted')
    .where('projects.removed', '=', 0)
    .orderBy('projects.created_at')
    .orderBy('projects.id')
    .limit(1)
    .executeTakeFirst();
  if (owned !== undefined) return owned.id;
  const made = await insertProject(tx, context, user.id, { name: `${user.username}-project` });
  return made.id;
}

/** @throws Refusal in upstream's words for an invalid name */
export function checkedName(name: string | undefined): string {
  if (name !== undefined && name !== '') return name;
  throw new Refusal('invalid', "Project name can't be empty", { error: 'invalid project name' });
}

/** Compares names among the caller's own projects only, so that the names of others stay private. @throws Refusal */
export async function refuseTaken(db: Reader, user: string, name: string, sentence: string): Promise<void> {
  const taken = await db
    .selectFrom('projects')
    .innerJoin('members', 'members.project_id', 'projects.id')
    .select('projects.id')
    .where('projects.name', '=', name)
    .where('projects.removed', '=', 0)
    .where('members.user_id', '=', user)
    .where('invitation', '=', 'Accepted')
    .limit(1)
    .executeTakeFirst();
  if (taken !== undefined)
    throw new Refusal('conflict', sentence, { status: 400, fields: ['projectName'], asMessage: true });
}

async function insertProject(
  tx: Tx,
  context: Context,
  owner: string,
  draft: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly tags?: readonly string[] | undefined;
  },
): Promise<ProjectRow> {
  const { username } = userOf(context);
  const row: ProjectRow = {
    id: context.plane.ids.id(),
    name: draft.name,
    description: draft.description ?? '',
    tags: JSON.stringify(draft.tags ?? []),
    ...madeBy(username, tx.now),
    removed: 0,
  };
  await tx.db.insertInto('projects').values(row).execute();
  await tx.db
    .insertInto('members')
    .values({
      project_id: row.id,
      user_id: owner,
      role: 'Owner',
      invitation: 'Accepted',
      invited_at: tx.now,
      joined_at: tx.now,
    })
    .execute();
  await audit(tx, context, { project: row.id, kind: 'project', id: row.id, after: projectDetails(row) });
  return row;
}
