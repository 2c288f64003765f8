import { readExecutionData } from '../../services/report/account/execution-data.ts';
import type { Context, ControlPlane } from '../access/context.ts';
import { enqueueAction } from '../infra/enqueue-action.ts';
import { projectScope } from '../store/store.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { stopOrder } from './agent-orders.ts';
import { experimentType } from './experiment-type.ts';
import { followChange } from './follow-change.ts';
import { executionTextOf } from './run-rows.ts';

/** How long a workflow may be in its cluster before a controller takes it up: one that restarts needs less. */
export const CONTROLLER_LIMIT_MS = 5 * 60_000;

/** Runs per pass. */
const PIECE = 100;

/**
 * Ends runs whose workflow is in its cluster, and that no workflow controller takes up: without an end they would wait for ever, and begin whenever
 * a controller comes. A workflow that its controller holds back has a message, and waits on.
 */
export async function endUntakenRuns({ plane }: Pick<Context, 'plane'>): Promise<void> {
  const late = await plane.store.read
    .selectFrom('runs')
    .selectAll()
    .where('phase', '=', 'Pending')
    .where('completed', '=', 0)
    .where('removed', '=', 0)
    .where('updated_at', '<', plane.clock.now() - CONTROLLER_LIMIT_MS)
    .limit(PIECE)
    .execute();
  for (const run of late) {
    await plane.store.transaction(projectScope(run.project_id), (tx) => endUntaken(tx, run, plane));
  }
}

async function endUntaken(tx: Tx, run: RunRow, plane: ControlPlane): Promise<void> {
  const account = readExecutionData((await executionTextOf(tx.db, run.key)) ?? '');
  if (account === undefined || account.nodes.length > 0 || account.message !== '') return;
  const columns: Pick<RunRow, 'phase' | 'completed' | 'ended_by' | 'problem' | 'updated_at'> = {
    ...{ phase: 'Error', completed: 1, ended_by: 'server' },
    ...{ problem: problemOf(run), updated_at: tx.now },
  };
  const { numUpdatedRows } = await tx.db
    .updateTable('runs')
    .set(columns)
    .where('key', '=', run.key)
    .where('phase', '=', 'Pending')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await followChange(tx, run, { ...run, ...columns });
  const { requestType: type, ...order } = stopOrder(run, await experimentType(tx.db, run));
  const { infra_id: infra, updated_by: username } = run;
  await enqueueAction(tx, { ...order, infra, requestId: plane.ids.id(), type, username });
}

function problemOf({ namespace }: RunRow): string {
  return (
    `no workflow controller took the workflow up within ${CONTROLLER_LIMIT_MS / 60_000} minutes; see that one runs in the cluster, watches ` +
    `namespace ${namespace}, and serves the instance of this infrastructure`
  );
}
