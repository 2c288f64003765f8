import type { Context } from '../../access/context.ts';
import type { Duty } from '../../access/noun.ts';
import { notify } from '../../notification/notify.ts';
import { projectScope } from '../../store/store.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import { INFRA_OFFLINE, infraChange } from '../infra-events.ts';
import { BEAT_MS, LOST_MS, STALE_MS } from './times.ts';

/** Rows of one kind per round. */
const PIECE = 200;

/** Periodic work of the server: agents whose replica died, and agents that stay disconnected. */
export const connectionDuties: readonly Duty[] = [
  { name: 'agents of replicas that are gone', everyMs: BEAT_MS, run: resetStale },
  { name: 'infrastructures that are lost', everyMs: BEAT_MS, run: notifyOfLosses },
];

async function resetStale({ plane: { store, clock } }: Context): Promise<void> {
  for (const { id, project_id } of await unseen(store, 1, clock.now() - STALE_MS)) {
    await store.transaction(projectScope(project_id), async (tx) => {
      const { numUpdatedRows } = await tx.db
        .updateTable('infras')
        .set({ active: 0, connection_id: null, contested_until: null })
        .where('id', '=', id)
        .where('active', '=', 1)
        .where('seen_at', '<', tx.now - STALE_MS)
        .executeTakeFirst();
      if (numUpdatedRows === 1n) await tx.change(infraChange({ project_id, id }, INFRA_OFFLINE));
    });
  }
}

/** Notifies of each loss once: clears the time after the notification. */
async function notifyOfLosses({ plane: { store, clock } }: Context): Promise<void> {
  for (const { id, name, project_id } of await unseen(store, 0, clock.now() - LOST_MS)) {
    await store.transaction(projectScope(project_id), async (tx) => {
      const { numUpdatedRows } = await tx.db
        .updateTable('infras')
        .set({ seen_at: null })
        .where('id', '=', id)
        .where('active', '=', 0)
        .where('seen_at', '<', tx.now - LOST_MS)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) return;
      await notify(tx, {
        project: project_id,
        event: 'INFRA_LOST',
        summary: `Infrastructure ${name} has no connected agent any more`,
        details: { infraID: id, name },
      });
    });
  }
}

function unseen(
  store: Context['plane']['store'],
  active: 0 | 1,
  before: number,
): Promise<Pick<InfraRow, 'id' | 'name' | 'project_id'>[]> {
  return store.read
    .selectFrom('infras')
    .select(['id', 'name', 'project_id'])
    .where('active', '=', active)
    .where('seen_at', '<', before)
    .where('removed', '=', 0)
    .limit(PIECE)
    .execute();
}
