import type { Selectable } from 'kysely';
import type { InfraActionResponse } from '../../schema/generated/types.ts';
import { unpackText } from '../../store/packed-text.ts';
import { projectScope, type Store } from '../../store/store.ts';
import type { ActionRow } from '../../store/tables/infras.ts';
import type { Reader } from '../../store/transaction.ts';
import type { OwnRequestType } from '../live/ask-agent.ts';
import type { Connection } from './holder.ts';

/** An action as read from the database. */
export type StoredAction = Selectable<ActionRow>;

/** Type of the request that hands a new key over. */
export const NEW_KEY = 'new_key' satisfies OwnRequestType;
/** Actions per read. */
const PIECE = 50;

/**
 * Actions that an agent has not received, or whose outcome it has not reported, in order: those after number `after` that have not expired. They are
 * marked as sent before they are sent, so that an action in transit cannot be withdrawn.
 */
export async function takePending(
  store: Store,
  connection: Connection,
  after: number,
): Promise<StoredAction[]> {
  const pending = (db: Reader, now: number): Promise<StoredAction[]> =>
    db
      .selectFrom('actions')
      .selectAll()
      .where('infra_id', '=', connection.infra)
      .where('done_at', 'is', null)
      .where('seq', '>', after)
      // That is for a connection with the former key.
      .where('request_type', '!=', NEW_KEY)
      .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .orderBy('seq')
      .limit(PIECE)
      .execute();
  if ((await pending(store.read, 0)).length === 0) return [];
  return store.transaction(projectScope(connection.project), async ({ db, now }) => {
    const actions = await pending(db, now);
    const numbers = actions.filter(({ sent_at }) => sent_at === null).map(({ seq }) => seq);
    if (numbers.length > 0) {
      await db.updateTable('actions').set({ sent_at: now }).where('seq', 'in', numbers).execute();
    }
    return actions;
  });
}

/** An action in the form for agents. */
export function asActionResponse(row: StoredAction, { project }: Connection): InfraActionResponse {
  return {
    projectID: project,
    action: {
      requestID: row.request_id,
      requestType: row.request_type,
      k8sManifest: unpackText(row.manifest),
      namespace: row.namespace,
      externalData: row.external_data,
      username: row.username,
    },
  };
}

/** Whether an action stays until its agent has reported the outcome; others are done when the agent has received them. Pure. */
export function awaitsOutcome(
  { expires_at }: Pick<StoredAction, 'expires_at'>,
  { reportsResults }: Pick<Connection, 'reportsResults'>,
): boolean {
  // A question with a waiting client gets a reply instead, and expires.
  return reportsResults && expires_at === null;
}
