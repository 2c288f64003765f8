import { ScheduleError } from '@turnsole/kube/text/cron/schedule';
import { isTimeZone } from '@turnsole/kube/text/cron/time-zone';
import { type CronSchedule, nextRun, parseCronSchedule } from '@turnsole/workflows/cron/cron-schedule';

/** The next times of a schedule, in Unix milliseconds; none if it never fires. Pure. @param timezone empty: UTC */
export function nextTimes(cron: string, timezone: string, nowMs: number, count: number): number[] {
  const schedule = read(cron, timezone);
  if (typeof schedule === 'string') return [];
  const times: number[] = [];
  for (let after = nowMs; times.length < count; ) {
    const next = nextRun(schedule, after);
    if (next === undefined) break;
    times.push(next);
    after = next;
  }
  return times;
}

/** The next times of several schedules together, without duplicates. Pure. @param timezone empty: UTC */
export function nextTimesOfAll(
  crons: readonly string[],
  timezone: string,
  nowMs: number,
  count: number,
): number[] {
  const times = new Set(crons.flatMap((cron) => nextTimes(cron, timezone, nowMs, count)));
  return [...times].toSorted((a, b) => a - b).slice(0, count);
}

/** The problem of a cron expression; undefined if it is valid. Pure. */
export function cronProblem(cron: string): string | undefined {
  const schedule = read(cron, '');
  return typeof schedule === 'string' ? `Is no schedule: ${schedule}` : undefined;
}

/** The problem of the name of a time zone; undefined if it is valid. Pure. */
export function timezoneProblem(timezone: string): string | undefined {
  if (timezone === '' || isTimeZone(timezone)) return undefined;
  return 'Needs the name of a time zone, such as Europe/Berlin';
}

function read(cron: string, timezone: string): CronSchedule | string {
  try {
    return parseCronSchedule(cron, timezone === '' ? undefined : timezone);
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}
