import { recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { infraRowOf } from '../infra/infras.ts';
import type { InfraMetrics } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';

/** Sets the Prometheus for the metrics of runs in an infrastructure; null removes it. @throws Refusal */
export async function setMetrics(
  infra: string,
  setting: InfraMetrics | null,
  context: Context,
): Promise<void> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const row = await infraRowOf(tx.db, project, infra);
    await tx.db
      .updateTable('infras')
      .set({
        metrics: setting === null ? null : JSON.stringify(setting),
        ...{ updated_at: tx.now, updated_by: username },
      })
      .where('id', '=', infra)
      .where('project_id', '=', project)
      .execute();
    const before = { name: row.name, metrics: row.metrics === null ? null : JSON.parse(row.metrics) };
    const after = { name: row.name, metrics: setting };
    await recordChange(tx, context, { project, kind: 'infra', id: infra, before, after });
  });
}
