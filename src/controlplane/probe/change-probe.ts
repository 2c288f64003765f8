import { recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import type { ProbeRequest } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import type { ProbeRow } from '../store/tables/probes.ts';
import { asProbe } from './probe-answers.ts';
import { bodyOfRequest } from './probe-request.ts';
import { probeRow } from './probe-rows.ts';

/** Changes a probe; its name and its type stay. @throws Refusal */
export async function updateProbe(request: ProbeRequest, context: Context): Promise<void> {
  await change(request.name, context, (row) => {
    if (request.type !== row.type) {
      const sentence = `cannot update probe ${row.name}: it is of type ${row.type}, and the type of a probe cannot change`;
      throw new Refusal('invalid', sentence, { fields: ['request.type'] });
    }
    const { description, tags } = request;
    return {
      body: JSON.stringify(bodyOfRequest(request, JSON.parse(row.body))),
      description: description ?? row.description,
      tags: tags === null || tags === undefined ? row.tags : JSON.stringify(tags),
    };
  });
}

/** Deletes a probe. Experiments with a copy of it use that. @throws Refusal */
export async function deleteProbe(name: string, context: Context): Promise<void> {
  await change(name, context, () => ({ removed: 1 }));
}

async function change(
  name: string,
  context: Context,
  changed: (row: ProbeRow) => Partial<ProbeRow>,
): Promise<void> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const before = found(await probeRow(tx.db, project, name), `no probe ${name} in this project`);
    const columns = { ...changed(before), updated_at: tx.now, updated_by: username };
    await tx.db
      .updateTable('probes')
      .set(columns)
      .where('project_id', '=', project)
      .where('name', '=', name)
      .execute();
    const after = { ...before, ...columns };
    const sides = { before: asProbe(before), after: after.removed === 1 ? undefined : asProbe(after) };
    await recordChange(tx, context, { project, kind: 'probe', id: name, ...sides });
  });
}
