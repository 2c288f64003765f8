import { packText } from '../store/packed-text.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { decideRunEvent, type RunChange, type RunEvent, type RunState } from './decide-run-event.ts';
import { recordExecutions } from './executions.ts';
import { followChange } from './follow-change.ts';
import type { Phase } from './phases.ts';
import { faultsOf, toldRun } from './run-rows.ts';

/** What an agent tells of a run, with what it is called by. */
export interface ToldEvent extends RunEvent {
  readonly project: string;
  readonly infra: string;
  readonly experimentID: string;
  /** Empty for a run that nobody started through this server. */
  readonly notifyID: string;
  readonly revisionID: string;
  /** Of the run's object. */
  readonly name: string;
  /** Who started it; empty where the agent does not know. */
  readonly username: string;
  /** JSON text of `data`. */
  readonly text: string;
}

/** What became of it. */
type EventOutcome =
  | { readonly kind: 'stored'; readonly run: RunRow; readonly stopInCluster: boolean }
  | { readonly kind: 'stale' | 'duplicate' | 'no-experiment' };

/**
 * Stores an agent's word on a run, which it may begin. Few statements: most words change a run's graph and nothing that is counted.
 * Words on runs of another infrastructure are taken for words on nothing.
 */
export async function storeRunEvent(tx: Tx, event: ToldEvent): Promise<EventOutcome> {
  const before = await toldRun(tx.db, event.project, event);
  if (before !== undefined && (before.infra_id !== event.infra || before.removed === 1)) {
    return { kind: 'no-experiment' };
  }
  const revision = before?.revision_id ?? event.revisionID;
  // Only the last word is scored, and only a run's first word and its last tell of its probes.
  const needsFaults = event.isCompleted || before === undefined;
  const faults = needsFaults ? await faultsOf(tx.db, event.project, revision) : [];
  const decision = decideRunEvent(before === undefined ? undefined : stateOf(before), event, faults);
  if (decision.kind === 'discard') return { kind: decision.why };
  const after =
    before === undefined
      ? await begunBySchedule(tx, event, decision.change)
      : await changed(tx, event, before, decision.change);
  if (after === undefined) return { kind: 'no-experiment' };
  await keepText(tx, after.key, event.text);
  if (before === undefined) await recordExecutions(tx, after, faults, undefined);
  if (event.isCompleted) await recordExecutions(tx, after, faults, event.data);
  await followChange(tx, before, after);
  return { kind: 'stored', run: after, stopInCluster: decision.stopInCluster };
}

function stateOf(row: RunRow): RunState {
  return {
    runID: row.run_id ?? '',
    // Only this program writes it.
    phase: row.phase as Phase,
    endedBy: row.ended_by,
    isFinal: row.final === 1,
    progress: row.progress,
  };
}

type ChangedColumns = Omit<RunRow, Exclude<keyof RunRow, keyof ReturnType<typeof columnsOf>>>;

function columnsOf(change: RunChange) {
  return {
    run_id: change.runID,
    phase: change.phase,
    completed: change.endedBy === null ? (0 as const) : (1 as const),
    ended_by: change.endedBy,
    final: change.isFinal ? (1 as const) : (0 as const),
    progress: change.progress,
    score: change.resiliencyScore,
    faults_passed: change.passed,
    faults_failed: change.failed,
    faults_awaited: change.awaited,
    faults_stopped: change.stopped,
    faults_na: change.na,
    faults_total: change.total,
  };
}

async function changed(tx: Tx, event: ToldEvent, before: RunRow, change: RunChange): Promise<RunRow> {
  const columns: Partial<ChangedColumns> & Partial<RunRow> = {
    ...columnsOf(change),
    namespace: event.data.namespace || before.namespace,
    updated_at: tx.now,
    ...(event.username !== '' && { updated_by: event.username }),
  };
  await tx.db.updateTable('runs').set(columns).where('key', '=', before.key).execute();
  return { ...before, ...columns };
}

/** A run that nobody started here: a schedule did, in the cluster. Undefined where the infrastructure has no such experiment. */
async function begunBySchedule(tx: Tx, event: ToldEvent, change: RunChange): Promise<RunRow | undefined> {
  const experiment = await tx.db
    .selectFrom('experiments')
    .select(['revision_id', 'total_runs', 'updated_by'])
    .where('project_id', '=', event.project)
    .where('id', '=', event.experimentID)
    .where('infra_id', '=', event.infra)
    .where('removed', '=', 0)
    .executeTakeFirst();
  if (experiment === undefined) return undefined;
  const username = event.username || experiment.updated_by;
  const row: RunRow = {
    key: `${event.infra}/${event.runID}`,
    project_id: event.project,
    experiment_id: event.experimentID,
    infra_id: event.infra,
    revision_id: event.revisionID || experiment.revision_id,
    notify_id: event.notifyID || null,
    name: event.name,
    namespace: event.data.namespace,
    sequence: experiment.total_runs + 1,
    ...columnsOf(change),
    created_at: tx.now,
    updated_at: tx.now,
    created_by: username,
    updated_by: username,
    removed: 0,
  };
  await tx.db.insertInto('runs').values(row).execute();
  return row;
}

async function keepText(tx: Tx, key: string, text: string): Promise<void> {
  const data = packText(text);
  await tx.db
    .insertInto('run_data')
    .values({ run_key: key, data })
    .onConflict((conflict) => conflict.column('run_key').doUpdateSet({ data }))
    .execute();
}
