import type { ControlPlane } from '../access/context.ts';
import { projectScope } from '../store/store.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { count } from './counters.ts';
import { PHASES } from './phases.ts';

const GOING = ['Queued', 'Pending', 'Running'];
/** Phases of runs that are over. */
const OVER = PHASES.filter((phase) => !GOING.includes(phase));
/** Runs per transaction, so that other writes do not wait long. */
const PIECE = 100;

/**
 * Deletes finished runs that began before a time, with their graphs and the executions of their probes. Run numbers are not
 * reused; scores and statistics cover the remaining runs.
 */
export async function pruneRuns(
  { store }: Pick<ControlPlane, 'store'>,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  for (let old = PIECE; old === PIECE && !signal.aborted; ) {
    const rows = await store.read
      .selectFrom('runs')
      .selectAll()
      .where('phase', 'in', OVER)
      .where('created_at', '<', before)
      .limit(PIECE)
      .execute();
    for (const [project, ofProject] of Map.groupBy(rows, ({ project_id }) => project_id)) {
      await store.transaction(projectScope(project), (tx) => prune(tx, ofProject));
    }
    old = rows.length;
  }
}

async function prune(tx: Tx, runs: readonly RunRow[]): Promise<void> {
  const keys = runs.map(({ key }) => key);
  // They may have changed since the search: a run that no agent picked up continues if its agent reports it.
  const rows = await tx.db
    .selectFrom('runs')
    .selectAll()
    .where('key', 'in', keys)
    .where('phase', 'in', OVER)
    .execute();
  for (const run of rows) await count(tx, run, { ...run, removed: 1 });
  const over = rows.map(({ key }) => key);
  if (over.length === 0) return;
  await tx.db.deleteFrom('run_data').where('run_key', 'in', over).execute();
  await tx.db.deleteFrom('run_records').where('run_key', 'in', over).execute();
  await tx.db.deleteFrom('probe_executions').where('run_key', 'in', over).execute();
  await tx.db.deleteFrom('runs').where('key', 'in', over).execute();
}
