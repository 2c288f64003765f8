import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { count } from './counters.ts';
import { countDurations, durationOf } from './durations.ts';
import { notifyOfEnds } from './notices.ts';

/** Consequences of a written change of a run: counters, watchers, and webhooks at its end. */
export async function followChange(tx: Tx, before: RunRow | undefined, after: RunRow): Promise<void> {
  await count(tx, before, after);
  await countDurations(tx, [durationOf(before, after)]);
  if (after.completed === 1 && before?.completed !== 1) await notifyOfEnds(tx, [after]);
  await changeForWatchers(tx, [after]);
}

/** Records changed runs for the watchers of their project. */
export async function changeForWatchers(tx: Tx, runs: readonly RunRow[]): Promise<void> {
  await tx.change(
    ...runs.map((run) => ({ project: run.project_id, kind: 'run', id: run.key, body: bodyOf(run) })),
  );
}

/** Fields of a run that watchers need for a list. */
function bodyOf(run: RunRow): object {
  return {
    experimentID: run.experiment_id,
    experimentRunID: run.run_id ?? '',
    notifyID: run.notify_id ?? '',
    phase: run.phase,
    completed: run.completed === 1,
    resiliencyScore: run.score,
    runSequence: run.sequence,
  };
}
