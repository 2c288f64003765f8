import {
  lastTime,
  nextTime,
  parseSchedule,
  type Schedule,
  ScheduleError,
} from '@turnsole/kube/text/cron/schedule';
import { isTimeZone } from '@turnsole/kube/text/cron/time-zone';
import { DurationError, parseDuration } from '@turnsole/kube/text/duration';

/** One entry of `schedules`: by the clocks of a time zone, or every so often. */
export type CronSchedule =
  | { readonly kind: 'clock'; readonly schedule: Schedule; readonly timeZone: string | undefined }
  | { readonly kind: 'every'; readonly everyMs: number };

const ZONE = /^(?:CRON_TZ|TZ)=(\S+)\s+(.*)$/s;
const EVERY = /^@every\s+(.*)$/s;
const SECOND_MS = 1000;

/**
 * Reads an entry of `schedules`: five fields of cron, a macro, or `@every <duration>`; with `CRON_TZ=<zone> ` before it, by that zone.
 *
 * @param timeZone of the CronWorkflow, for entries that name none
 * @throws ScheduleError
 */
export function parseCronSchedule(text: string, timeZone: string | undefined): CronSchedule {
  const [, ownZone, fields = text] = ZONE.exec(text.trim()) ?? [];
  const zone = ownZone ?? timeZone;
  if (zone !== undefined && zone !== '' && !isTimeZone(zone))
    throw new ScheduleError(`unknown time zone ${JSON.stringify(zone)}`);
  const every = EVERY.exec(fields.trim())?.[1];
  if (every === undefined) return { kind: 'clock', schedule: parseSchedule(fields), timeZone: zone };
  return { kind: 'every', everyMs: parseEvery(every) };
}

/** Whole seconds, at least one: robfig/cron rounds so. */
function parseEvery(text: string): number {
  try {
    return Math.max(SECOND_MS, Math.floor(parseDuration(text.trim()) / SECOND_MS) * SECOND_MS);
  } catch (error) {
    if (error instanceof DurationError) throw new ScheduleError(error.message, { cause: error });
    throw error;
  }
}

/** The first time after `afterMs`; for `@every`, that much later. Undefined if it never comes. Pure. */
export function nextRun(schedule: CronSchedule, afterMs: number): number | undefined {
  if (schedule.kind === 'clock') return nextTime(schedule.schedule, afterMs, schedule.timeZone);
  return Math.floor(afterMs / SECOND_MS) * SECOND_MS + schedule.everyMs;
}

/** The last time in (sinceMs, nowMs], undefined when there was none. Pure. */
export function lastRun(schedule: CronSchedule, sinceMs: number, nowMs: number): number | undefined {
  if (schedule.kind === 'clock') return lastTime(schedule.schedule, sinceMs, nowMs, schedule.timeZone);
  const since = Math.floor(sinceMs / SECOND_MS) * SECOND_MS;
  const times = Math.floor((nowMs - since) / schedule.everyMs);
  return times < 1 ? undefined : since + times * schedule.everyMs;
}
