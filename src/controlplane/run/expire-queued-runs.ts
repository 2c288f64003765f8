import type { Context } from '../access/context.ts';
import { withdrawAction } from '../infra/withdraw-action.ts';
import { projectScope } from '../store/store.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { endUnbegunRun } from './end-unbegun-run.ts';

/**
 * How long an agent may take to report a requested run. Chaos that begins much later would surprise users, so the order to begin
 * expires then.
 */
export const QUEUE_LIMIT_MS = 15 * 60_000;

/** Why such a run never began. */
const NOBODY_TOOK_IT_UP = `its agent did not take it up within ${QUEUE_LIMIT_MS / 60_000} minutes; see that the agent is connected, and run the experiment again`;

/** Runs per transaction, so that it does not delay other writes. */
const PIECE = 100;

/** Ends runs that no agent has picked up in time. A run continues if its agent reports it later. */
export async function expireQueuedRuns({ plane }: Pick<Context, 'plane'>): Promise<void> {
  const late = await plane.store.read
    .selectFrom('runs')
    .selectAll()
    .where('phase', '=', 'Queued')
    .where('created_at', '<', plane.clock.now() - QUEUE_LIMIT_MS)
    .limit(PIECE)
    .execute();
  for (const run of late) {
    await plane.store.transaction(projectScope(run.project_id), (tx) => expire(tx, run));
  }
}

async function expire(tx: Tx, run: RunRow): Promise<void> {
  const hasEnded = await endUnbegunRun(tx, run, { phase: 'Timeout', problem: NOBODY_TOOK_IT_UP });
  if (hasEnded && run.notify_id !== null) await withdrawAction(tx, run.notify_id);
}
