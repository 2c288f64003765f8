import type { RunDurationRow, RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';

/** Upper bounds in seconds. Rows store their bound as text, so a new bound adds rows and invalidates none. */
export const DURATION_BOUNDS: readonly number[] = [30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200];
/** Bound of longer runs. */
export const INFINITE = '+Inf';

/** Fields of a run for the histogram. */
export type TimedRun = Pick<
  RunRow,
  | 'project_id'
  | 'experiment_id'
  | 'infra_id'
  | 'run_id'
  | 'completed'
  | 'removed'
  | 'created_at'
  | 'updated_at'
>;

/** The duration of a run that ends by this change; undefined for others, and if no agent has picked it up. Pure. */
export function durationOf(before: TimedRun | undefined, after: TimedRun): RunDurationRow | undefined {
  const isEnd = after.completed === 1 && before?.completed !== 1;
  if (!isEnd || after.removed === 1 || after.run_id === null) return undefined;
  const seconds = Math.max(0, after.updated_at - after.created_at) / 1000;
  const bound = DURATION_BOUNDS.find((one) => seconds <= one);
  const { project_id, experiment_id, infra_id } = after;
  return { project_id, experiment_id, infra_id, le: `${bound ?? INFINITE}`, runs: 1, seconds };
}

/** Adds durations to the histogram, with one statement per bucket. */
export async function countDurations(tx: Tx, ended: readonly (RunDurationRow | undefined)[]): Promise<void> {
  const sums = new Map<string, RunDurationRow>();
  for (const row of ended) {
    if (row === undefined) continue;
    const key = JSON.stringify([row.project_id, row.experiment_id, row.infra_id, row.le]);
    const { runs = 0, seconds = 0 } = sums.get(key) ?? {};
    sums.set(key, { ...row, runs: runs + row.runs, seconds: seconds + row.seconds });
  }
  if (sums.size === 0) return;
  await tx.db
    .insertInto('run_durations')
    .values([...sums.values()])
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'experiment_id', 'infra_id', 'le']).doUpdateSet(({ eb, ref }) => ({
        runs: eb(ref('run_durations.runs'), '+', ref('excluded.runs')),
        seconds: eb(ref('run_durations.seconds'), '+', ref('excluded.seconds')),
      })),
    )
    .execute();
}
