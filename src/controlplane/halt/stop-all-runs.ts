import type { Context } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { stopRuns } from '../experiment/stop-runs.ts';

/** Stops all unfinished runs of a project, one experiment after the other. Schedules continue: the lever holds their runs. */
export async function stopAllRuns(project: string, context: Context): Promise<void> {
  const experiments = await context.plane.store.read
    .selectFrom('runs')
    .select('experiment_id')
    .distinct()
    .where('project_id', '=', project)
    .where('completed', '=', 0)
    .where('removed', '=', 0)
    .execute();
  for (const { experiment_id } of experiments) {
    try {
      await stopRuns(experiment_id, {}, { ...context, member: { project, role: 'Owner' } });
    } catch (error) {
      // Its last run has ended meanwhile, or the experiment was deleted.
      if (!(error instanceof Refusal && error.code === 'not-found')) throw error;
    }
  }
}
