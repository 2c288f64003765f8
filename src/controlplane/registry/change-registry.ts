import { audit } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import type { ImageRegistryInput, ImageRegistryResponse } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import type { RegistryRow } from '../store/tables/hubs.ts';
import type { Tx } from '../store/transaction.ts';
import { inputProblem } from './input-problem.ts';
import { asRegistry, columnsOf, isStored, registryOf } from './registries.ts';

/** Creates the image registry of a project, which replaces the default. @throws Refusal if it has one already */
export function createRegistry(input: ImageRegistryInput, context: Context): Promise<ImageRegistryResponse> {
  const id = context.plane.ids.id();
  return change(context, input, (before) => {
    if (isStored(before)) {
      throw new Refusal('conflict', 'this project has an image registry already; change that one');
    }
    return id;
  });
}

/** Changes the image registry of a project. Changing the default creates one for the project. @throws Refusal */
export function updateRegistry(
  registry: string,
  input: ImageRegistryInput,
  context: Context,
): Promise<ImageRegistryResponse> {
  const id = context.plane.ids.id();
  return change(context, input, (before) => {
    refuseOther(before, registry);
    return isStored(before) ? before.id : id;
  });
}

/** Deletes the image registry of a project, which then uses the default. @throws Refusal also for the default */
export async function deleteRegistry(registry: string, context: Context): Promise<void> {
  const { project } = memberOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const before = await registryOf(tx.db, project);
    refuseOther(before, registry);
    if (!isStored(before)) throw new Refusal('invalid', 'the default image registry cannot be deleted');
    await tx.db.deleteFrom('registries').where('project_id', '=', project).execute();
    await note(tx, context, before, undefined);
  });
}

async function change(
  context: Context,
  input: ImageRegistryInput,
  idOf: (before: RegistryRow) => string,
): Promise<ImageRegistryResponse> {
  const problem = inputProblem(input);
  if (problem !== undefined) {
    throw new Refusal('invalid', problem.sentence, { fields: [`imageRegistryInfo.${problem.field}`] });
  }
  const { project } = memberOf(context);
  const { username } = userOf(context);
  return context.transaction(projectScope(project), async (tx) => {
    const before = await registryOf(tx.db, project);
    const id = idOf(before);
    const made = isStored(before) ? {} : { created_at: tx.now, created_by: username };
    const row: RegistryRow = {
      ...{ ...before, ...columnsOf(input), ...made, id },
      ...{ updated_at: tx.now, updated_by: username },
    };
    await tx.db
      .insertInto('registries')
      .values(row)
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
      .execute();
    await note(tx, context, isStored(before) ? before : undefined, row);
    return asRegistry(row);
  });
}

async function note(
  tx: Tx,
  context: Context,
  before: RegistryRow | undefined,
  after: RegistryRow | undefined,
): Promise<void> {
  const [project, id] = [memberOf(context).project, (after ?? before)?.id ?? ''];
  const sides = { before: before && asRegistry(before), after: after && asRegistry(after) };
  await audit(tx, context, { project, kind: 'image registry', id, ...sides });
  await tx.change({ project, kind: 'registry', id });
}

function refuseOther(row: RegistryRow, id: string): void {
  if (row.id !== id) throw new Refusal('not-found', `no image registry ${id} in this project`);
}
