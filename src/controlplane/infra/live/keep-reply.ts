import { agentOf, type Context } from '../../access/context.ts';
import { packText } from '../../store/packed-text.ts';
import { projectScope } from '../../store/store.ts';

/** The topic that wakes the client waiting for replies to a request. */
export function replyTopic(requestId: string): string {
  return `reply:${requestId}`;
}

/** Stores an agent's reply for the waiting client. @returns false if no client waits, or the request went to another agent */
export async function keepReply(requestId: string, text: string, context: Context): Promise<boolean> {
  const { infra, project } = agentOf(context);
  return context.transaction(projectScope(project), async (tx) => {
    const asked = await tx.db
      .selectFrom('actions')
      .select('seq')
      .where('infra_id', '=', infra)
      .where('request_id', '=', requestId)
      .where('expires_at', '>', tx.now)
      .executeTakeFirst();
    if (asked === undefined) return false;
    const reply = { request_id: requestId, body: packText(text), at: tx.now };
    await tx.db.insertInto('replies').values(reply).execute();
    tx.wake(replyTopic(requestId));
    return true;
  });
}
