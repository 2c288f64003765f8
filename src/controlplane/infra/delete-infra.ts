import { audit } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { projectScope } from '../store/store.ts';
import { agentTopic, enqueueAction } from './enqueue-action.ts';
import { auditedInfra, infraRowOf } from './infras.ts';

/** What an agent is asked to delete when it is to leave: its settings, and the Deployments that it runs in. */
const FAREWELL = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'subscriber-config' } },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { labels: { app: 'subscriber' } } },
] as const;

/** Deletes an infrastructure of the project, and tells its agent to leave. @throws Refusal */
export async function deleteInfra(infra: string, context: Context): Promise<void> {
  const { store, ids } = context.plane;
  const { project } = memberOf(context);
  const { username } = userOf(context);
  await store.transaction(projectScope(project), async (tx) => {
    const before = await infraRowOf(tx.db, project, infra);
    const changed = { removed: 1, updated_at: tx.now, updated_by: username } as const;
    await tx.db.updateTable('infras').set(changed).where('id', '=', infra).execute();
    for (const object of FAREWELL) {
      const { namespace } = before;
      const manifest = JSON.stringify({ ...object, metadata: { ...object.metadata, namespace } });
      await enqueueAction(tx, { infra, requestId: ids.id(), type: 'delete', manifest, namespace, username });
    }
    await audit(tx, context, { project, kind: 'infra', id: infra, before: auditedInfra(before) });
    await tx.change({ project, kind: 'infra', id: infra });
    tx.wake(agentTopic(infra));
  });
}
