import type { Context } from '../access/context.ts';
import { syncProject } from './sync.ts';

/** Period between passes over a repository, also after errors and problems. */
const PERIOD_MS = 120_000;

/** Concurrent passes. */
const AT_ONCE = 10;

/** Synchronises the repositories that are due, and those whose project has changed since. */
export async function syncDue({ plane, signal }: Context): Promise<void> {
  const due = await plane.store.read
    .selectFrom('gitops')
    .select('project_id')
    .where(({ or, and, eb, exists, selectFrom }) =>
      or([
        eb('checked_at', '<=', plane.clock.now() - PERIOD_MS),
        and([
          eb('last_error', '=', ''),
          exists(
            selectFrom('experiments')
              .select('experiments.id')
              .whereRef('experiments.project_id', '=', 'gitops.project_id')
              .whereRef('experiments.updated_at', '>=', 'gitops.checked_at'),
          ),
        ]),
      ]),
    )
    .orderBy('checked_at')
    .limit(AT_ONCE)
    .execute();
  if (signal.aborted) return;
  const ended = await Promise.allSettled(due.map(({ project_id }) => syncProject(plane, project_id)));
  for (const [index, one] of ended.entries()) {
    if (one.status === 'fulfilled' || signal.aborted) continue;
    plane.logger.error(
      { err: one.reason, project: due[index]?.project_id },
      'a repository could not be followed',
    );
  }
}
