import { outcomeSentence } from '../../services/report/outcome/run-outcome.ts';
import type { OutcomeWord } from '../../services/report/outcome/run-states.ts';
import { type Notice, notify } from '../notification/notify.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { outcomeOfRow, scoreOfRow } from './run-outcome.ts';

/** Verdict of a run, in one word. */
export type RunVerdict = 'Pass' | 'Fail' | 'Error' | 'Stopped' | 'N/A';

const VERDICTS: Readonly<Record<OutcomeWord, RunVerdict>> = {
  Passed: 'Pass',
  Failed: 'Fail',
  Error: 'Error',
  'Could not run': 'Error',
  Stopped: 'Stopped',
  'Dry run': 'N/A',
  Queued: 'N/A',
  Pending: 'N/A',
  Running: 'N/A',
};

/** The verdict of a run that is over: its outcome in the words of verdicts. Pure. */
export function verdictOf(run: RunRow): RunVerdict {
  return VERDICTS[outcomeOfRow(run).word];
}

/**
 * The events for webhooks when a run is over: its end, and a verdict that differs from that of the previous run. Pure.
 *
 * @param previous the previous finished run of the experiment; undefined if there was none
 */
export function noticesOf(name: string, run: RunRow, previous: RunRow | undefined): Notice[] {
  const verdict = verdictOf(run);
  const [outcome, score] = [outcomeOfRow(run), scoreOfRow(run)];
  const details = {
    experimentID: run.experiment_id,
    experimentName: name,
    experimentRunID: run.run_id ?? '',
    runSequence: run.sequence,
    phase: run.phase,
    verdict,
    outcome: outcome.word,
    ...(outcome.reason !== undefined && { reason: outcome.reason }),
    resiliencyScore: score,
    ...(run.problem !== null && { problem: run.problem }),
  };
  const of = `Run ${run.sequence} of ${name}`;
  const ended: Notice = {
    project: run.project_id,
    event: 'RUN_ENDED',
    summary: `${of} ended: ${outcomeSentence(outcome)}${score === null ? '' : `, score ${score}`}`,
    details,
  };
  const before = previous === undefined ? verdict : verdictOf(previous);
  if (before === verdict) return [ended];
  const summary = `${of} ended with ${verdict}, and the one before it with ${before}`;
  return [
    ended,
    { ...ended, event: 'VERDICT_CHANGED', summary, details: { ...details, previousVerdict: before } },
  ];
}

/** Notifies webhooks of finished runs of a project. Reads nothing else if it has no webhooks. */
export async function notifyOfEnds(tx: Tx, runs: readonly RunRow[]): Promise<void> {
  const [first] = runs;
  if (first === undefined) return;
  const webhook = await tx.db
    .selectFrom('webhooks')
    .select('id')
    .where('project_id', '=', first.project_id)
    .where('enabled', '=', 1)
    .limit(1)
    .executeTakeFirst();
  if (webhook === undefined) return;
  for (const run of runs) await notifyOfEnd(tx, run);
}

async function notifyOfEnd(tx: Tx, run: RunRow): Promise<void> {
  const experiment = await tx.db
    .selectFrom('experiments')
    .select('name')
    .where('project_id', '=', run.project_id)
    .where('id', '=', run.experiment_id)
    .executeTakeFirst();
  const previous = await tx.db
    .selectFrom('runs')
    .selectAll()
    .where('project_id', '=', run.project_id)
    .where('experiment_id', '=', run.experiment_id)
    .where('sequence', '<', run.sequence)
    .where('completed', '=', 1)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  for (const notice of noticesOf(experiment?.name ?? '', run, previous)) await notify(tx, notice);
}
