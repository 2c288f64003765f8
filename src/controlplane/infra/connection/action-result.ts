import { agentOf, type Context } from '../../access/context.ts';
import type { InfraActionResult } from '../../schema/generated/types.ts';
import { projectScope } from '../../store/store.ts';

/** What an agent said of an action, as its row keeps it. */
interface KeptOutcome {
  readonly isDone: boolean;
  readonly message: string;
}

/** Longer ones are cut: they are for people. */
const MOST_CHARACTERS = 64 * 1024;

/** What was kept of an outcome; undefined while the agent has said nothing. */
export function readOutcome(text: string | null): KeptOutcome | undefined {
  // Written below.
  return text === null ? undefined : JSON.parse(text);
}

/** Keeps what became of an action; told twice, the first time counts. @returns a sentence for the agent's log */
export async function keepActionResult(
  { requestID, isDone, message }: InfraActionResult,
  context: Context,
): Promise<string> {
  const { infra, project } = agentOf(context);
  const kept: KeptOutcome = { isDone, message: message.slice(0, MOST_CHARACTERS) };
  const isNew = await context.plane.store.transaction(projectScope(project), async (tx) => {
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
