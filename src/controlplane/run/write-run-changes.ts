import type { ExecutionData } from '../../services/report/account/execution-data.ts';
import { packText } from '../store/packed-text.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { ProbeExecutionRow } from '../store/tables/probes.ts';
import type { RunRow } from '../store/tables/runs.ts';
import { together } from '../store/together.ts';
import type { Tx } from '../store/transaction.ts';
import { countPhases, phaseChanges } from './counters.ts';
import { countDurations, durationOf } from './durations.ts';
import { executionRows, recordExecutions } from './executions.ts';
import { changeForWatchers } from './follow-change.ts';
import type { KnownRuns } from './known-runs.ts';
import { notifyOfEnds } from './notices.ts';
import type { StoredEvent } from './reported-event.ts';

/**
 * Writes runs after events, with all consequences: the agent's last report of each, the verdicts of its probes,
 * counters, watchers, and webhooks. One statement for each of these, however many events there are.
 *
 * @param stored at least one, of one project, in the order of processing
 */
export async function writeRunChanges(
  tx: Tx,
  known: KnownRuns,
  stored: readonly StoredEvent[],
): Promise<void> {
  const rows = lastOfEach(stored, ({ after }) => after);
  const phases = stored.flatMap(({ before, after }) => phaseChanges(before, after));
  const took = stored.map(({ before, after }) => durationOf(before, after));
  const become = stored.map(({ after }) => after);
  const ended = stored.filter(({ before, after }) => after.completed === 1 && before?.completed !== 1);
  await together([
    writeRuns(tx, rows),
    writeTexts(tx, stored),
    writeExecutions(tx, known, stored),
    countPhases(tx, phases),
    countDurations(tx, took),
    writeExperiments(tx, known.changedExperiments()),
    changeForWatchers(tx, become),
  ]);
  const over = ended.map(({ after }) => after);
  await notifyOfEnds(tx, over);
}

/** The last value for each run, in the order of their first. */
function lastOfEach<T>(stored: readonly StoredEvent[], pick: (event: StoredEvent) => T): T[] {
  return [...new Map(stored.map((event) => [event.after.key, pick(event)])).values()];
}

async function writeRuns(tx: Tx, rows: readonly RunRow[]): Promise<void> {
  await tx.db
    .insertInto('runs')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet(({ ref }) => ({
        run_id: ref('excluded.run_id'),
        namespace: ref('excluded.namespace'),
        phase: ref('excluded.phase'),
        completed: ref('excluded.completed'),
        ended_by: ref('excluded.ended_by'),
        problem: ref('excluded.problem'),
        outcome: ref('excluded.outcome'),
        final: ref('excluded.final'),
        progress: ref('excluded.progress'),
        score: ref('excluded.score'),
        faults_passed: ref('excluded.faults_passed'),
        faults_failed: ref('excluded.faults_failed'),
        faults_awaited: ref('excluded.faults_awaited'),
        faults_stopped: ref('excluded.faults_stopped'),
        faults_na: ref('excluded.faults_na'),
        faults_total: ref('excluded.faults_total'),
        updated_at: ref('excluded.updated_at'),
        updated_by: ref('excluded.updated_by'),
      })),
    )
    .execute();
}

async function writeTexts(tx: Tx, stored: readonly StoredEvent[]): Promise<void> {
  const texts = lastOfEach(stored, ({ event, after }) => ({ key: after.key, text: event.text }));
  await tx.db
    .insertInto('run_data')
    .values(texts.map(({ key, text }) => ({ run_key: key, data: packText(text) })))
    .onConflict((conflict) =>
      conflict.column('run_key').doUpdateSet(({ ref }) => ({ data: ref('excluded.data') })),
    )
    .execute();
}

async function writeExecutions(tx: Tx, known: KnownRuns, stored: readonly StoredEvent[]): Promise<void> {
  const rowsOf = (run: RunRow, data: ExecutionData | undefined): ProbeExecutionRow[] =>
    executionRows(run, known.faultsOf(run.revision_id), data, tx.now);
  const begun = stored.filter(({ before }) => before === undefined);
  const ended = stored.filter(({ event }) => event.isCompleted);
  await recordExecutions(
    tx,
    begun.flatMap(({ after }) => rowsOf(after, undefined)),
    ended.flatMap(({ after, event }) => rowsOf(after, event.data)),
  );
}

/** Writes the counters of experiments; all writers hold the project's scope. */
async function writeExperiments(tx: Tx, rows: readonly ExperimentRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.db
    .insertInto('experiments')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'id']).doUpdateSet(({ ref }) => ({
        total_runs: ref('excluded.total_runs'),
        completed_runs: ref('excluded.completed_runs'),
        score_sum: ref('excluded.score_sum'),
        last_phase: ref('excluded.last_phase'),
        last_run_at: ref('excluded.last_run_at'),
      })),
    )
    .execute();
}
