import { agentOf, type Context } from '../access/context.ts';
import { keepActionResult } from '../infra/connection/action-result.ts';
import type { InfraActionResult } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { endUnbegunRun } from './end-unbegun-run.ts';

/**
 * Stores the outcome of an action. Ends a run that its agent could not begin, for example because the cluster refused its object: the agent
 * sends no other report of it. Idempotent.
 *
 * @returns a sentence for the agent's log
 */
export async function receiveActionResult(result: InfraActionResult, context: Context): Promise<string> {
  const sentence = await keepActionResult(result, context);
  if (!result.isDone) await endRefusedRun(result, context);
  return sentence;
}

/** Limit, since lists contain it for each run. */
const MOST_CHARACTERS = 2_000;

/** The stored form of an agent's message: never empty, because it is all that users learn about the run. Pure. */
export function refusalOf(message: string): string {
  const words = message.trim();
  if (words === '')
    return 'its agent could not begin it, and gave no reason; the log of the agent may say more';
  if (words.length <= MOST_CHARACTERS) return words;
  // Does not cut a surrogate pair in half.
  return `${words.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
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
    return endUnbegunRun(tx, run, { phase: 'Error', problem: refusalOf(message) });
  });
  if (ended) logger.warn({ run: requestID, infra, reason: message }, 'an agent could not begin a run');
}
