import { AGENT_CONFIG_MAP } from '../../api/agent-objects.ts';
import { recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { projectScope } from '../store/store.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import type { Tx } from '../store/transaction.ts';
import { agentTopic, enqueueAction } from './enqueue-action.ts';
import { auditedInfra, infraRowOf } from './infras.ts';

/** Objects that a leaving agent has to delete: its settings and its Deployments. */
const FAREWELL = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: AGENT_CONFIG_MAP } },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { labels: { app: 'subscriber' } } },
] as const;

/** Deletes an infrastructure of the project, and orders its agent to leave. @throws Refusal */
export async function deleteInfra(infra: string, context: Context): Promise<void> {
  const { project } = memberOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const before = await infraRowOf(tx.db, project, infra);
    await sendAway(tx, context, before);
    await recordChange(tx, context, { project, kind: 'infra', id: infra, before: auditedInfra(before) });
  });
}

/** Orders the agents of a deleted project to leave. */
export async function sendAllAway(tx: Tx, context: Context, project: string): Promise<void> {
  const infras = await tx.db
    .selectFrom('infras')
    .select(['id', 'namespace'])
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .execute();
  for (const infra of infras) await sendAway(tx, context, infra);
}

async function sendAway(
  tx: Tx,
  context: Context,
  { id: infra, namespace }: Pick<InfraRow, 'id' | 'namespace'>,
): Promise<void> {
  const { username } = userOf(context);
  const changed = { removed: 1, updated_at: tx.now, updated_by: username } as const;
  await tx.db.updateTable('infras').set(changed).where('id', '=', infra).execute();
  for (const object of FAREWELL) {
    const manifest = JSON.stringify({ ...object, metadata: { ...object.metadata, namespace } });
    const requestId = context.plane.ids.id();
    await enqueueAction(tx, { infra, requestId, type: 'delete', manifest, namespace, username });
  }
  tx.wake(agentTopic(infra));
}
