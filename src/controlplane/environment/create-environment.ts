import { recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import type { CreateEnvironmentRequest, Environment } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { madeBy } from '../store/tables/columns.ts';
import type { EnvironmentRow } from '../store/tables/projects.ts';
import { asEnvironment } from './environments.ts';

/** Creates an environment. The ID of a deleted one can be used again. @throws Refusal */
export async function createEnvironment(
  request: CreateEnvironmentRequest | null | undefined,
  context: Context,
): Promise<Environment> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  if (request === null || request === undefined)
    throw new Refusal('invalid', 'request is missing', { fields: ['request'] });
  checkTexts(request);
  return context.transaction(projectScope(project), async (tx) => {
    const row: EnvironmentRow = {
      project_id: project,
      id: request.environmentID,
      name: request.name,
      description: request.description ?? '',
      tags: JSON.stringify(request.tags ?? []),
      type: request.type,
      ...madeBy(username, tx.now),
      removed: 0,
    };
    const made = await tx.db
      .insertInto('environments')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'id']).doUpdateSet(row).where('environments.removed', '=', 1),
      )
      .executeTakeFirst();
    if (made.numInsertedOrUpdatedRows !== 1n) {
      throw new Refusal('conflict', `environment ${row.id} already exists`, {
        fields: ['request.environmentID'],
      });
    }
    const after = asEnvironment(row);
    await recordChange(tx, context, { project, kind: 'environment', id: row.id, after });
    return after;
  });
}

/** Database indexes limit the length of names. */
const MOST_CHARACTERS = 256;

/**
 * Empty texts are taken as upstream takes them: its SDK makes environments without an ID and without a name, and finds them again by that.
 * Texts of blanks alone are mistakes.
 * @throws Refusal naming the field
 */
function checkTexts({ environmentID, name }: CreateEnvironmentRequest): void {
  for (const [field, text] of Object.entries({ environmentID, name })) {
    const fields = [`request.${field}`];
    if (text !== '' && text.trim() === '') throw new Refusal('invalid', `${field} is blank`, { fields });
    if (text.length > MOST_CHARACTERS) {
      throw new Refusal('invalid', `${field} is longer than ${MOST_CHARACTERS} characters`, { fields });
    }
  }
}
