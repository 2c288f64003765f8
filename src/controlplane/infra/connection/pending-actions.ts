import type { Selectable } from 'kysely';
import type { InfraActionResponse } from '../../schema/generated/types.ts';
import { unpackText } from '../../store/packed-text.ts';
import { projectScope, type Store } from '../../store/store.ts';
import type { ActionRow } from '../../store/tables/infras.ts';
import type { Reader } from '../../store/transaction.ts';
import type { Connection } from './holder.ts';

/** An action as it is read. */
export type StoredAction = Selectable<ActionRow>;

/** How many are read at once. */
const PIECE = 50;

/**
 * What an agent has not got yet, or has not told the outcome of, in order: those after number `after` that are still worth something. They are
 * marked as sent before they are, so that nobody takes one back that is on its way.
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

/** An action as agents get it. */
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

/** Whether an action stays until its agent has told what became of it; others are done when the agent has them. Pure. */
export function awaitsOutcome(
  { expires_at }: Pick<StoredAction, 'expires_at'>,
  { reportsResults }: Pick<Connection, 'reportsResults'>,
): boolean {
  // What somebody waits for is answered, and worth nothing later.
  return reportsResults && expires_at === null;
}
