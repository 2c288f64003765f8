import { agentOf, type Context } from '../../access/context.ts';
import type { InfraActionResult } from '../../schema/generated/types.ts';
import { projectScope } from '../../store/store.ts';

/** An agent's report about an action, in its stored form. */
interface KeptOutcome {
  readonly isDone: boolean;
  readonly message: string;
}

/** Longer messages are cut. */
const MOST_CHARACTERS = 64 * 1024;

/** A stored outcome; undefined until the agent reports it. */
export function readOutcome(text: string | null): KeptOutcome | undefined {
  // Written below.
  return text === null ? undefined : JSON.parse(text);
}

/** Stores the outcome of an action; of two reports the first counts. @returns a sentence for the agent's log */
export async function keepActionResult(
  { requestID, isDone, message }: InfraActionResult,
  context: Context,
): Promise<string> {
  const { infra, project } = agentOf(context);
  const kept: KeptOutcome = { isDone, message: message.slice(0, MOST_CHARACTERS) };
  const isNew = await context.transaction(projectScope(project), async (tx) => {
    const { numUpdatedRows } = await tx.db
      .updateTable('actions')
      .set({ done_at: tx.now, outcome: JSON.stringify(kept) })
      .where('infra_id', '=', infra)
      .where('request_id', '=', requestID)
      .where('outcome', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await tx.change({ project, kind: 'action', id: requestID, body: { infraID: infra, ...kept } });
    return true;
  });
  return isNew ? 'action result kept' : 'no action waits for this result';
}
