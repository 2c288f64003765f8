import { recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import type { UpdateEnvironmentRequest } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import type { EnvironmentRow } from '../store/tables/projects.ts';
import { asEnvironment, environmentRow } from './environments.ts';

/** Changes the given fields of an environment. @throws Refusal */
export async function updateEnvironment(
  request: UpdateEnvironmentRequest | null | undefined,
  context: Context,
): Promise<void> {
  if (request === null || request === undefined)
    throw new Refusal('invalid', 'request is missing', { fields: ['request'] });
  const { environmentID, name, description, tags, type } = request;
  if (name?.trim() === '') throw new Refusal('invalid', 'name is empty', { fields: ['request.name'] });
  await change(context, environmentID, (row) => ({
    name: name ?? row.name,
    description: description ?? row.description,
    tags: tags === null || tags === undefined ? row.tags : JSON.stringify(tags.filter((tag) => tag !== null)),
    type: type ?? row.type,
  }));
}

/** Deletes an environment; its infrastructures stay. @throws Refusal */
export function deleteEnvironment(id: string, context: Context): Promise<void> {
  return change(context, id, () => ({ removed: 1 }));
}

async function change(
  context: Context,
  id: string,
  changed: (row: EnvironmentRow) => Partial<EnvironmentRow>,
): Promise<void> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const before = found(await environmentRow(tx.db, project, id), `no environment ${id} in this project`);
    const after: EnvironmentRow = { ...before, ...changed(before), updated_at: tx.now, updated_by: username };
    await tx.db
      .updateTable('environments')
      .set(after)
      .where('project_id', '=', project)
      .where('id', '=', id)
      .execute();
    const left = after.removed === 1 ? undefined : asEnvironment(after);
    const sides = { before: asEnvironment(before), after: left };
    await recordChange(tx, context, { project, kind: 'environment', id, ...sides });
  });
}
