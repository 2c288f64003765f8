import { courseOf } from '../../../services/report/course/course.ts';
import { stateNow } from '../../../services/report/course/run-state.ts';
import type { ControlPlane } from '../../access/context.ts';
import { timeText } from '../../access/lists.ts';
import type { RunOutcome } from '../../schema/generated/types.ts';
import type { RunRow } from '../../store/tables/runs.ts';
import { recordedRun, recordsOf } from './run-page.ts';

/**
 * The state of a run that its agent has begun and that is not over, and what keeps it from going on, by its records; nothing for other runs,
 * and without records.
 */
export async function liveState(
  { store, clock, logger }: Pick<ControlPlane, 'store' | 'clock' | 'logger'>,
  { key, phase, completed }: Pick<RunRow, 'key' | 'phase' | 'completed'>,
): Promise<Pick<RunOutcome, 'state' | 'since' | 'seconds' | 'reason'> | undefined> {
  if (completed === 1 || phase !== 'Running') return undefined;
  const records = await recordsOf(store.read, key);
  if (records.length === 0) return undefined;
  try {
    const run = recordedRun(records, '{}');
    const engines = 'workflow' in run ? run.engines : [run];
    const course = courseOf(...engines);
    const { state, sinceMs, limitMs } = stateNow(course, clock.now());
    return {
      state,
      since: sinceMs === undefined ? null : timeText(sinceMs),
      seconds: limitMs === undefined ? null : limitMs / 1000,
      reason: (state === 'blocked' ? course.problem?.message : undefined) ?? null,
    };
  } catch (error) {
    // Objects in a cluster may have any content.
    logger.warn({ err: error, run: key }, 'the records of a run tell no state');
    return undefined;
  }
}
