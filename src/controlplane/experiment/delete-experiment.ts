import { audit, recordChange } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import { withdrawAction } from '../infra/withdraw-action.ts';
import { type AgentOrder, aboutObject, byID, deleteOrder } from '../run/agent-orders.ts';
import { count, removeAllFromCounters } from '../run/counters.ts';
import { findRun } from '../run/run-rows.ts';
import { projectScope } from '../store/store.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { authorOf } from './author.ts';
import { anyExperiment, experimentRow, latestRevision } from './experiment-rows.ts';
import { followSchedule } from './follow-schedule.ts';
import { namespaceOf } from './manifest/prepare-run.ts';
import { readStored } from './manifest/read-manifest.ts';
import { order } from './orders.ts';
import { goingRuns } from './stop-runs.ts';

/** Deletes an experiment with its schedule and its runs, also in its cluster. @throws Refusal */
export async function deleteExperiment(id: string, context: Context): Promise<void> {
  const author = authorOf(context);
  const { project, username } = author;
  await context.transaction(projectScope(project), async (tx) => {
    const row = found(await anyExperiment(tx.db, project, id), `no experiment ${id} in this project`);
    if (row.removed === 1) throw new Refusal('conflict', `chaos experiment already deleted: ${id}`);
    await followSchedule(tx, context, author, { row, infraID: row.infra_id, after: undefined });
    for (const run of await goingRuns(tx.db, row)) {
      if (run.run_id === null && run.notify_id !== null) await withdrawAction(tx, run.notify_id);
    }
    for (const one of await ordersOf(tx, row))
      await order(tx, context, one, { infra: row.infra_id, username });
    await removeRows(tx, row, username);
    await recordChange(tx, context, { project, kind: 'experiment', id, before: { name: row.name } });
  });
}

/** Agents find workflows by the experiment; engines without one by their label. */
async function ordersOf(tx: Tx, row: ExperimentRow): Promise<AgentOrder[]> {
  if (row.type === 'experiment' || row.type === 'cronexperiment') return [byID('workflow_delete', row.id)];
  const { object } = readStored((await latestRevision(tx.db, row)).manifest);
  const engines = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { labels: { workflow_id: row.id } },
  };
  return [aboutObject('delete', engines, namespaceOf(object))];
}

async function removeRows(tx: Tx, { project_id, id }: ExperimentRow, username: string): Promise<void> {
  await removeAllFromCounters(tx, project_id, id);
  await tx.db
    .deleteFrom('run_durations')
    .where('project_id', '=', project_id)
    .where('experiment_id', '=', id)
    .execute();
  const columns = { removed: 1, updated_at: tx.now, updated_by: username } as const;
  await tx.db
    .updateTable('runs')
    .set(columns)
    .where('project_id', '=', project_id)
    .where('experiment_id', '=', id)
    .where('removed', '=', 0)
    .execute();
  await tx.db
    .updateTable('experiments')
    .set({ ...columns, scheduled: 0 })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute();
}

/** Deletes one run of an experiment, also in its cluster; the experiment stays. @throws Refusal */
export async function deleteRun(experimentID: string, runID: string, context: Context): Promise<void> {
  const { project, username } = authorOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const experiment = await experimentRow(tx.db, project, experimentID);
    const named = await findRun(tx.db, project, { runID, notifyID: runID });
    const run = found(
      named?.experiment_id === experimentID ? named : undefined,
      'no matching experiment run',
    );
    if (run.run_id !== null) {
      await order(tx, context, deleteOrder(run, experiment.type), { infra: run.infra_id, username });
    } else if (run.notify_id !== null) await withdrawAction(tx, run.notify_id);
    const after: RunRow = { ...run, removed: 1, updated_at: tx.now, updated_by: username };
    await tx.db
      .updateTable('runs')
      .set({ removed: 1, updated_at: tx.now, updated_by: username })
      .where('key', '=', run.key)
      .execute();
    await count(tx, run, after);
    await audit(tx, context, { project, kind: 'run', id: runID, before: { experimentID, phase: run.phase } });
    await tx.change({
      project,
      kind: 'run',
      id: run.key,
      body: { removed: true, experimentRunID: run.run_id ?? '', notifyID: run.notify_id ?? '' },
    });
  });
}
