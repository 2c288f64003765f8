import { agentOf, type Context } from '../access/context.ts';
import { keepActionResult } from '../infra/connection/action-result.ts';
import type { InfraActionResult } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { endUnbegunRun } from './end-unbegun-run.ts';

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

/** Lists carry it with each run. */
const MOST_CHARACTERS = 2_000;

/** What is kept of an agent's words: never nothing, as it is all that anybody learns of the run. Pure. */
export function refusalOf(message: string): string {
  const words = message.trim();
  if (words === '')
    return 'its agent could not begin it, and gave no reason; the log of the agent may say more';
  if (words.length <= MOST_CHARACTERS) return words;
  // A cut must not leave half of a character.
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
