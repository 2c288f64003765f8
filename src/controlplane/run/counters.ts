import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';

/** What of a run statistics count. */
type CountedRun = Pick<
  RunRow,
  'project_id' | 'experiment_id' | 'infra_id' | 'sequence' | 'phase' | 'completed' | 'score' | 'removed'
>;

/** What a change of a run adds to the counters. */
export interface CounterChange {
  /** Runs more (or less) by phase. */
  readonly phases: readonly { readonly phase: string; readonly runs: number }[];
  readonly completed: number;
  readonly score: number;
}

/** What changes in the counters when a run was `before` and is `after`; a run that is not there, or is removed, counts nothing. Pure. */
export function counterChange(before: CountedRun | undefined, after: CountedRun): CounterChange {
  const [was, is] = [countsOf(before), countsOf(after)];
  const phases =
    was.phase === is.phase
      ? []
      : [
          { phase: was.phase, runs: -1 },
          { phase: is.phase, runs: 1 },
        ].filter(({ phase }) => phase !== '');
  return { phases, completed: is.completed - was.completed, score: is.score - was.score };
}

function countsOf(run: CountedRun | undefined): { phase: string; completed: number; score: number } {
  if (run === undefined || run.removed === 1) return { phase: '', completed: 0, score: 0 };
  return { phase: run.phase, completed: run.completed, score: run.completed === 1 ? run.score : 0 };
}

/**
 * Keeps what is counted of runs in step with a run that has changed: counters of the project, and what the experiment says of its runs.
 * A word of an agent that changes neither phase nor score costs no statement.
 */
export async function count(tx: Tx, before: CountedRun | undefined, after: CountedRun): Promise<void> {
  const change = counterChange(before, after);
  for (const { phase, runs } of change.phases) await countPhase(tx, after, phase, runs);
  const isNew = before === undefined;
  if (!isNew && change.phases.length === 0 && change.completed === 0 && change.score === 0) return;
  await tx.db
    .updateTable('experiments')
    .set(({ eb, ref, case: when }) => ({
      total_runs: eb(ref('total_runs'), '+', isNew ? 1 : 0),
      completed_runs: eb(ref('completed_runs'), '+', change.completed),
      score_sum: eb(ref('score_sum'), '+', change.score),
      last_phase: when()
        .when('total_runs', '<=', after.sequence)
        .then(after.phase)
        .else(ref('last_phase'))
        .end(),
      last_run_at: tx.now,
    }))
    .where('project_id', '=', after.project_id)
    .where('id', '=', after.experiment_id)
    .execute();
}

async function countPhase(
  tx: Tx,
  { project_id, infra_id }: Pick<CountedRun, 'project_id' | 'infra_id'>,
  phase: string,
  runs: number,
): Promise<void> {
  await tx.db
    .insertInto('run_counters')
    .values({ project_id, infra_id, phase, runs })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'infra_id', 'phase'])
        .doUpdateSet(({ eb, ref }) => ({ runs: eb(ref('run_counters.runs'), '+', runs) })),
    )
    .execute();
}

/** Takes all runs of an experiment out of what is counted, before they are removed. */
export async function removeAllFromCounters(tx: Tx, project: string, experiment: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('runs')
    .select(({ fn }) => ['infra_id', 'phase', fn.countAll<number>().as('runs')])
    .where('project_id', '=', project)
    .where('experiment_id', '=', experiment)
    .where('removed', '=', 0)
    .groupBy(['infra_id', 'phase'])
    .execute();
  for (const { infra_id, phase, runs } of rows) {
    await countPhase(tx, { project_id: project, infra_id }, phase, -runs);
  }
}
