import { agentOf, type Context } from '../access/context.ts';
import { keepActionResult } from '../infra/connection/action-result.ts';
import type { InfraActionResult } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { followChange } from './follow-change.ts';

/**
 * Keeps what became of an action. A run that its agent could not begin, because the cluster refused its object for example, ends here: nothing else
 * is heard of it. Told again it changes nothing.
 *
 * @returns a sentence for the agent's log
 */
export async function receiveActionResult(result: InfraActionResult, context: Context): Promise<string> {
  const sentence = await keepActionResult(result, context);
  if (!result.isDone) await endRefusedRun(result, context);
  return sentence;
}

async function endRefusedRun({ requestID, message }: InfraActionResult, context: Context): Promise<void> {
  const { infra, project } = agentOf(context);
  const { store, logger } = context.plane;
  const ended = await store.transaction(projectScope(project), async (tx) => {
    const run = await tx.db
      .selectFrom('runs')
      .selectAll()
      .where('notify_id', '=', requestID)
      .where('infra_id', '=', infra)
      .where('phase', '=', 'Queued')
      .executeTakeFirst();
    if (run === undefined) return false;
    const end = { phase: 'Error', completed: 1, ended_by: 'server', updated_at: tx.now } as const;
    await tx.db.updateTable('runs').set(end).where('key', '=', run.key).execute();
    await followChange(tx, run, { ...run, ...end });
    return true;
  });
  if (ended) logger.warn({ run: requestID, infra, reason: message }, 'an agent could not begin a run');
}
