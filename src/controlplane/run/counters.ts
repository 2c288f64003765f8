import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { scoreOfRow } from './run-outcome.ts';

/** Fields of a run for statistics. */
type CountedRun = Pick<RunRow, 'project_id' | 'experiment_id' | 'infra_id' | 'sequence' | 'removed'> &
  Parameters<typeof scoreOfRow>[0];

/** Effect of a change of a run on the counters. */
export interface CounterChange {
  /** Difference in runs by phase. */
  readonly phases: readonly { readonly phase: string; readonly runs: number }[];
  /** Difference in runs that have a score, and in the sum of these. */
  readonly scored: number;
  readonly score: number;
}

/** Difference of the counters when a run changes from `before` to `after`; a missing or deleted run counts as nothing. Pure. */
export function counterChange(before: CountedRun | undefined, after: CountedRun): CounterChange {
  const [was, is] = [countsOf(before), countsOf(after)];
  const phases =
    was.phase === is.phase
      ? []
      : [
          { phase: was.phase, runs: -1 },
          { phase: is.phase, runs: 1 },
        ].filter(({ phase }) => phase !== '');
  return { phases, scored: is.scored - was.scored, score: is.score - was.score };
}

function countsOf(run: CountedRun | undefined): { phase: string; scored: number; score: number } {
  if (run === undefined || run.removed === 1) return { phase: '', scored: 0, score: 0 };
  const score = scoreOfRow(run);
  return { phase: run.phase, scored: score === null ? 0 : 1, score: score ?? 0 };
}

/** Difference in runs of an infrastructure in a phase. */
interface PhaseChange {
  readonly project_id: string;
  readonly infra_id: string;
  readonly phase: string;
  readonly runs: number;
}

/** Effect of a change of a run on the counters of its project. Pure. */
export function phaseChanges(before: CountedRun | undefined, after: CountedRun): PhaseChange[] {
  const { project_id, infra_id } = after;
  return counterChange(before, after).phases.map((change) => ({ project_id, infra_id, ...change }));
}

/** Fields of an experiment about its runs. */
type CountedExperiment = Pick<
  ExperimentRow,
  'total_runs' | 'completed_runs' | 'score_sum' | 'last_phase' | 'last_run_at'
>;

/** The experiment after a run has changed from `before` to `after`; the same object if no counted field has changed. Pure. */
export function countedExperiment<E extends CountedExperiment>(
  experiment: E,
  before: CountedRun | undefined,
  after: CountedRun,
  now: number,
): E {
  const { phases, scored, score } = counterChange(before, after);
  const isNew = before === undefined;
  if (!isNew && phases.length === 0 && scored === 0 && score === 0) return experiment;
  return {
    ...experiment,
    total_runs: experiment.total_runs + (isNew ? 1 : 0),
    completed_runs: experiment.completed_runs + scored,
    score_sum: experiment.score_sum + score,
    last_phase: experiment.total_runs <= after.sequence ? after.phase : experiment.last_phase,
    last_run_at: now,
  };
}

/**
 * Updates statistics after a change of a run: the counters of the project, and the fields of the experiment about its runs.
 * Costs no statement if neither phase nor score has changed.
 */
export async function count(tx: Tx, before: CountedRun | undefined, after: CountedRun): Promise<void> {
  const change = counterChange(before, after);
  await countPhases(tx, phaseChanges(before, after));
  const isNew = before === undefined;
  if (!isNew && change.phases.length === 0 && change.scored === 0 && change.score === 0) return;
  await tx.db
    .updateTable('experiments')
    .set(({ eb, ref, case: when }) => ({
      total_runs: eb(ref('total_runs'), '+', isNew ? 1 : 0),
      completed_runs: eb(ref('completed_runs'), '+', change.scored),
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

/** Adds changes to the counters, with one statement per counter. */
export async function countPhases(tx: Tx, changes: readonly PhaseChange[]): Promise<void> {
  const sums = new Map<string, PhaseChange>();
  for (const change of changes) {
    const key = JSON.stringify([change.project_id, change.infra_id, change.phase]);
    sums.set(key, { ...change, runs: change.runs + (sums.get(key)?.runs ?? 0) });
  }
  const rows = [...sums.values()].filter(({ runs }) => runs !== 0);
  if (rows.length === 0) return;
  await tx.db
    .insertInto('run_counters')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'infra_id', 'phase']).doUpdateSet(({ eb, ref }) => ({
        runs: eb(ref('run_counters.runs'), '+', ref('excluded.runs')),
      })),
    )
    .execute();
}

/** Removes all runs of an experiment from the counters, before they are deleted. */
export async function removeAllFromCounters(tx: Tx, project: string, experiment: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('runs')
    .select(({ fn }) => ['infra_id', 'phase', fn.countAll<number>().as('runs')])
    .where('project_id', '=', project)
    .where('experiment_id', '=', experiment)
    .where('removed', '=', 0)
    .groupBy(['infra_id', 'phase'])
    .execute();
  await countPhases(
    tx,
    rows.map(({ infra_id, phase, runs }) => ({ project_id: project, infra_id, phase, runs: -runs })),
  );
}
