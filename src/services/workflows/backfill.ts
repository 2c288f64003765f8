import { parseTime } from '@turnsole/kube/text/time';
import { childWorkflow } from '@turnsole/workflows/cron/child-workflow';
import { nextRun } from '@turnsole/workflows/cron/cron-schedule';
import { readSchedules } from '@turnsole/workflows/cron/validate-cron';
import type { CronWorkflow } from '@turnsole/workflows/kinds/cron-workflow';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';

/** A range that was mistyped must not fill the cluster. */
const MOST_TIMES = 256;
const LABEL_BACKFILL = 'workflows.argoproj.io/backfill';

/** From when to when, RFC 3339; both ends belong to it. */
interface BackfillRange {
  readonly start: string;
  readonly end?: string;
}

/**
 * The workflows that a CronWorkflow would have started in a range of time, in order. They have the names that its own would have, so
 * that a time with an existing workflow is not run twice. Pure.
 *
 * @throws CommandError (bad input) when the range or a schedule cannot be read, or has too many times
 */
export function backfillOf(cron: CronWorkflow, { start, end }: BackfillRange, nowMs: number): Workflow[] {
  const startMs = timeOf(start, '--start');
  const endMs = end === undefined ? nowMs : timeOf(end, '--end');
  if (endMs < startMs) throw new CommandError('--end lies before --start', 'OPTION_INVALID');
  const schedules = readSchedules(cron.spec);
  if (typeof schedules === 'string') throw new CommandError(schedules, 'WORKFLOW_REFUSED');
  const times = new Set<number>();
  for (const schedule of schedules.values()) {
    let count = 0;
    for (
      let at = nextRun(schedule, startMs - 1);
      at !== undefined && at <= endMs;
      at = nextRun(schedule, at)
    ) {
      times.add(at);
      count += 1;
      if (count > MOST_TIMES) break;
    }
  }
  if (times.size > MOST_TIMES)
    throw new CommandError(
      `more than ${MOST_TIMES} times lie from ${start} to ${end ?? 'now'}; take a smaller range`,
      'OPTION_INVALID',
    );
  return [...times]
    .sort((a, b) => a - b)
    .map((time) => {
      const workflow = childWorkflow(cron, time);
      const { metadata } = workflow;
      return {
        ...workflow,
        metadata: { ...metadata, labels: { ...metadata.labels, [LABEL_BACKFILL]: cron.metadata.name } },
      };
    });
}

function timeOf(text: string, option: string): number {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new CommandError(
    `${option}: expected a time such as 2026-01-31T02:00:00Z, found ${text}`,
    'OPTION_INVALID',
  );
}
