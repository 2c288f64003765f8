import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { count } from './counters.ts';
import { countDurations, durationOf } from './durations.ts';
import { tellOfEnds } from './notices.ts';

/** What goes with each change of a run that is written: what is counted, who watches, and webhooks when it is over. */
export async function followChange(tx: Tx, before: RunRow | undefined, after: RunRow): Promise<void> {
  await count(tx, before, after);
  await countDurations(tx, [durationOf(before, after)]);
  if (after.completed === 1 && before?.completed !== 1) await tellOfEnds(tx, [after]);
  await tellWatchers(tx, [after]);
}

/** Records runs as they have become, for those who watch their project. */
export async function tellWatchers(tx: Tx, runs: readonly RunRow[]): Promise<void> {
  await tx.change(
    ...runs.map((run) => ({ project: run.project_id, kind: 'run', id: run.key, body: bodyOf(run) })),
  );
}

/** What watchers need of a run to show it in a list. */
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
