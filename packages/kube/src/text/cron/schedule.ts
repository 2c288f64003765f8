import { offsetMs } from './time-zone.ts';

/** The text is no cron schedule; `message` says which field is wrong and why. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
}

/** A parsed cron schedule: the allowed values of each field. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Day of month and day of week both restricted: either may match (`dayMatches` of robfig/cron). */
  readonly eitherDay: boolean;
}

/** Names that stand for five fields. */
export const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
/** Names that stand for 1 to 12. */
export const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Names that stand for 0 to 6. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Beyond this a schedule such as "30 February" counts as one without times. */
const HORIZON_MS = 5 * 366 * DAY_MS;

/** Parses the five fields of crontab(5), or one of its macros. Throws {@link ScheduleError}. */
export function parseSchedule(text: string): Schedule {
  const fields = (MACROS[text.trim()] ?? text).trim().split(/\s+/);
  if (fields.length !== 5) {
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: ${JSON.stringify(text)}`);
  }
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const weekdays = parseField(weekday, 0, 7, WEEKDAYS, 0);
  return {
    minutes: parseField(minute, 0, 59),
    hours: parseField(hour, 0, 23),
    days: parseField(day, 1, 31),
    months: parseField(month, 1, 12, MONTHS, 1),
    // Sunday is 0 and 7.
    weekdays: new Set([...weekdays].map((value) => value % 7)),
    eitherDay: !isAny(day) && !isAny(weekday),
  };
}

/** A step above 1 restricts a field: robfig/cron v3, by which Kubernetes and Argo run schedules, clears its star bit (`getRange`). */
function isAny(field: string): boolean {
  return field.split(',').some((part) => {
    const [range, step = '1'] = part.split('/');
    return (range === '*' || range === '?') && Number(step) === 1;
  });
}

function parseField(
  field: string,
  min: number,
  max: number,
  names: readonly string[] = [],
  firstName = 0,
): Set<number> {
  const values = new Set<number>();
  const numberOf = (text: string): number => {
    const named = names.indexOf(text.toLowerCase());
    const value = named >= 0 ? named + firstName : /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new ScheduleError(
        `${JSON.stringify(text)} in ${JSON.stringify(field)} is not between ${min} and ${max}`,
      );
    }
    return value;
  };
  for (const part of field.split(',')) {
    const [range = '', stepText, ...rest] = part.split('/');
    const step = stepText === undefined ? 1 : Number(stepText);
    if (rest.length > 0 || !Number.isInteger(step) || step < 1) {
      throw new ScheduleError(`${JSON.stringify(part)} has no positive step`);
    }
    const [firstText = '', lastText] = range.split('-');
    const any = range === '*' || range === '?';
    const first = any ? min : numberOf(firstText);
    const last = any
      ? max
      : lastText === undefined
        ? stepText === undefined
          ? first
          : max
        : numberOf(lastText);
    if (first > last) throw new ScheduleError(`${JSON.stringify(range)} ends before it begins`);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return values;
}

/** The first time of a schedule after `afterMs`, by the clocks of a time zone; `undefined` when none follows. */
export function nextTime(
  schedule: Schedule,
  afterMs: number,
  timeZone: string | undefined,
): number | undefined {
  // Wall time is calculated with as if it were UTC.
  let wall = Math.floor((afterMs + offsetMs(afterMs, timeZone)) / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const horizon = wall + HORIZON_MS;
  while (wall < horizon) {
    const jump = jumpTo(schedule, wall);
    if (jump !== undefined) {
      wall = jump;
      continue;
    }
    const time = wall - offsetMs(wall - offsetMs(wall, timeZone), timeZone);
    // A wall time that clocks skip does not occur; one that they repeat occurs once.
    if (time > afterMs && time + offsetMs(time, timeZone) === wall) return time;
    wall += MINUTE_MS;
  }
  return undefined;
}

/** The next wall time that may match where this one does not; `undefined` when it does. */
function jumpTo(schedule: Schedule, wall: number): number | undefined {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (!schedule.months.has(month + 1)) return Date.UTC(year, month + 1, 1);
  if (!matchesDay(schedule, date)) return Date.UTC(year, month, day + 1);
  if (!schedule.hours.has(date.getUTCHours())) return Math.floor(wall / HOUR_MS) * HOUR_MS + HOUR_MS;
  return schedule.minutes.has(date.getUTCMinutes()) ? undefined : wall + MINUTE_MS;
}

function matchesDay({ days, weekdays, eitherDay }: Schedule, date: Date): boolean {
  const byDay = days.has(date.getUTCDate());
  const byWeekday = weekdays.has(date.getUTCDay());
  return eitherDay ? byDay || byWeekday : byDay && byWeekday;
}

/** How far to look back, nearest first, so that a frequent schedule is found in few steps. */
const WINDOWS_MS = [HOUR_MS, DAY_MS, 32 * DAY_MS, 366 * DAY_MS, HORIZON_MS];

/** The last time of a schedule in (sinceMs, nowMs]; `undefined` when there was none. */
export function lastTime(
  schedule: Schedule,
  sinceMs: number,
  nowMs: number,
  timeZone: string | undefined,
): number | undefined {
  for (const window of WINDOWS_MS) {
    const from = Math.max(sinceMs, nowMs - window);
    let found: number | undefined;
    for (
      let time = nextTime(schedule, from, timeZone);
      time !== undefined && time <= nowMs;
      time = nextTime(schedule, time, timeZone)
    ) {
      found = time;
    }
    if (found !== undefined || from === sinceMs) return found;
  }
  return undefined;
}
