import { type Notice, notify } from '../notification/notify.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';

/** Verdict of a run, in one word. */
export type RunVerdict = 'Pass' | 'Fail' | 'Error' | 'Stopped' | 'N/A';

/** The verdict of a run that is over. Pure. */
export function verdictOf({ phase, faults_failed, faults_passed }: RunRow): RunVerdict {
  switch (phase) {
    case 'Stopped':
    case 'Terminated':
      return 'Stopped';
    case 'Error':
    case 'Completed_With_Error':
      return 'Error';
    case 'Completed':
    case 'Completed_With_Probe_Failure':
      if (faults_failed > 0 || phase !== 'Completed') return 'Fail';
      return faults_passed > 0 ? 'Pass' : 'N/A';
    default:
      return 'N/A';
  }
}

/**
 * The events for webhooks when a run is over: its end, and a verdict that differs from that of the previous run. Pure.
 *
 * @param previous the previous finished run of the experiment; undefined if there was none
 */
export function noticesOf(name: string, run: RunRow, previous: RunRow | undefined): Notice[] {
  const verdict = verdictOf(run);
  const details = {
    experimentID: run.experiment_id,
    experimentName: name,
    experimentRunID: run.run_id ?? '',
    runSequence: run.sequence,
    phase: run.phase,
    verdict,
    resiliencyScore: run.score,
    ...(run.problem !== null && { problem: run.problem }),
  };
  const of = `Run ${run.sequence} of ${name}`;
  const ended: Notice = {
    project: run.project_id,
    event: 'RUN_ENDED',
    summary: `${of} ended: ${verdict}, score ${run.score}${run.problem === null ? '' : `: ${run.problem}`}`,
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
