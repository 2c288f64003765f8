import { audit } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import { withdrawAction } from '../infra/withdraw-action.ts';
import { stopOrder } from '../run/agent-orders.ts';
import { decideStop } from '../run/decide-stop.ts';
import { followChange } from '../run/follow-change.ts';
import { findRun, type RunNames } from '../run/run-rows.ts';
import { projectScope } from '../store/store.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import { isScheduled } from './experiment-answers.ts';
import { experimentRow } from './experiment-rows.ts';
import { order } from './orders.ts';

/** Stops one run of an experiment, or all unfinished ones; a schedule continues. @throws Refusal */
export async function stopRuns(experimentID: string, names: RunNames, context: Context): Promise<void> {
  const { project } = memberOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const experiment = await experimentRow(tx.db, project, experimentID);
    const runs = await runsToStop(tx.db, experiment, names);
    for (const run of runs) await stopRun(tx, experiment, run, context);
    const after = { stopped: runs.map(({ run_id, notify_id }) => run_id ?? notify_id) };
    await audit(tx, context, { project, kind: 'experiment', id: experimentID, after });
  });
}

async function runsToStop(
  db: Reader,
  experiment: ExperimentRow,
  names: RunNames,
): Promise<readonly RunRow[]> {
  const { project_id, id } = experiment;
  if (names.runID || names.notifyID) {
    const run = await findRun(db, project_id, names);
    return [found(run?.experiment_id === id ? run : undefined, 'no matching experiment run')];
  }
  const going = await goingRuns(db, experiment);
  if (going.length === 0 && !isScheduled(experiment)) {
    throw new Refusal('not-found', 'no running, timeout, or queued experiments found');
  }
  return going;
}

/** The unfinished runs of an experiment. */
export function goingRuns(db: Reader, { project_id, id }: ExperimentRow): Promise<RunRow[]> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('experiment_id', '=', id)
    .where('completed', '=', 0)
    .where('removed', '=', 0)
    .execute();
}

async function stopRun(tx: Tx, experiment: ExperimentRow, run: RunRow, context: Context): Promise<void> {
  const { username } = userOf(context);
  const wasWithdrawn =
    run.run_id === null && run.notify_id !== null && (await withdrawAction(tx, run.notify_id));
  const decision = decideStop(run, wasWithdrawn);
  if (decision === undefined) return;
  const columns = { ...decision.columns, updated_at: tx.now, updated_by: username };
  await tx.db.updateTable('runs').set(columns).where('key', '=', run.key).execute();
  const after = { ...run, ...columns };
  await followChange(tx, run, after);
  if (decision.inCluster) {
    await order(tx, context, stopOrder(run, experiment.type), { infra: run.infra_id, username });
  }
}
