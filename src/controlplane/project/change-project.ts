import { audit, recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { optionalText, readFields } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { found } from '../access/refusal.ts';
import { UPSTREAM_BODIES } from '../access/upstream-bodies.ts';
import { sendAllAway } from '../infra/delete-infra.ts';
import { ACCOUNTS, projectScope } from '../store/store.ts';
import { checkedName, refuseTaken } from './create-project.ts';
import { projectById, projectDetails } from './projects.ts';

/** Renames a project. @throws Refusal */
export async function renameProject(args: Arguments, context: Context): Promise<object> {
  const { projectName } = readFields(args, { projectName: optionalText(200) }, UPSTREAM_BODIES.project);
  const name = checkedName(projectName);
  const { project } = memberOf(context);
  const { id: user, username } = userOf(context);
  await context.transaction(ACCOUNTS, async (tx) => {
    const before = found(await projectById(tx.db, project), 'the project is gone');
    if (before.name !== name)
      await refuseTaken(tx.db, user, name, `project with name: ${name} already exists`);
    const after = { ...before, name, updated_at: tx.now, updated_by: username };
    await tx.db.updateTable('projects').set(after).where('id', '=', project).execute();
    const sides = { before: projectDetails(before), after: projectDetails(after) };
    await audit(tx, context, { project, kind: 'project', id: project, ...sides });
  });
  return { message: 'successful' };
}

/**
 * Deletes a project for all members at once, and orders its agents to leave. A duty removes its data after they have had time
 * to do so; its lines in the audit log stay.
 *
 * @throws Refusal
 */
export async function deleteProject(_args: Arguments, context: Context): Promise<object> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const before = found(await projectById(tx.db, project), 'the project is gone');
    await tx.db
      .updateTable('projects')
      .set({ removed: 1, updated_at: tx.now, updated_by: username })
      .where('id', '=', project)
      .execute();
    await tx.db.deleteFrom('members').where('project_id', '=', project).execute();
    await sendAllAway(tx, context, project);
    const sides = { before: projectDetails(before) };
    await recordChange(tx, context, { project, kind: 'project', id: project, ...sides });
  });
  return { message: 'Successfully deleted project.' };
}
