import { lastTime, nextTime, parseSchedule, type Schedule } from '@turnsole/kube/text/cron/schedule';
import type { ChaosScheduleSpec } from '../../api/index.ts';

type Repeat = NonNullable<NonNullable<ChaosScheduleSpec['schedule']>['repeat']>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Beyond this, a pattern whose times never fall into the included days and hours counts as one without times. */
const MAX_STEPS = 10_000;

/** The times at which a repeated schedule is due, milliseconds since the epoch. */
export interface SchedulePattern {
  /** The first time after `afterMs`; undefined when no time follows. */
  next(afterMs: number): number | undefined;
  /** The last time in (sinceMs, nowMs]; undefined when there was none. */
  last(sinceMs: number, nowMs: number): number | undefined;
}

/** What a pattern needs to know beside the spec. */
export interface PatternAnchor {
  /** No time is earlier; it is a time itself when days and hours allow. */
  readonly startMs: number;
  /** Times after this do not count. */
  readonly endMs: number | undefined;
  /** Start of the last run; random times follow from it. */
  readonly lastRunMs: number | undefined;
  /**
   * Gives, for the moment from which an interval counts, the share of the interval (0 to 1) after which its random time comes. Undefined
   * for a caller that cannot draw it: then a random schedule has no known time.
   */
  readonly draw: ((fromMs: number) => number) | undefined;
}

/**
 * The pattern of `spec.schedule.repeat`. Pure.
 *
 * As upstream, the first time is the start itself (or, when days and hours forbid that, the next that they allow), and the
 * others are those of the cron schedule that follows from interval, hours and days. Intervals that a cron field cannot hold
 * (60 minutes and more, 24 hours and more) count from the start. With `random`, the next run comes one to two intervals
 * after the last.
 */
export function schedulePatternOf(repeat: Repeat, anchor: PatternAnchor): SchedulePattern {
  const bounded = (timeMs: number | undefined): number | undefined =>
    timeMs === undefined || (anchor.endMs !== undefined && timeMs > anchor.endMs) ? undefined : timeMs;
  const times = unboundedPattern(repeat, anchor);
  return {
    next: (afterMs) => bounded(times.next(afterMs)),
    last: (sinceMs, nowMs) => times.last(sinceMs, Math.min(nowMs, anchor.endMs ?? nowMs)),
  };
}

function unboundedPattern(repeat: Repeat, anchor: PatternAnchor): SchedulePattern {
  const zone = repeat.timeZone;
  const window = parseSchedule(`* ${fieldOf(repeat.workHours?.includedHours)} * * ${daysOf(repeat)}`);
  const first = firstAllowed(window, anchor.startMs, zone);
  if (repeat.properties?.random === true) return randomPattern(repeat, anchor, window);
  const cron = cronOf(repeat);
  const rest =
    cron === undefined ? intervalPattern(intervalMs(repeat), first, window, zone) : cronPattern(cron, zone);
  // The first time does not lie on the grid of the others.
  return {
    next: (afterMs) => (first !== undefined && afterMs < first ? first : rest.next(afterMs)),
    last: (sinceMs, nowMs) => {
      if (first === undefined || nowMs < first) return undefined;
      return rest.last(Math.max(sinceMs, first), nowMs) ?? (sinceMs < first ? first : undefined);
    },
  };
}

function cronPattern(cron: Schedule, zone: string | undefined): SchedulePattern {
  return {
    next: (afterMs) => nextTime(cron, afterMs, zone),
    last: (sinceMs, nowMs) => lastTime(cron, sinceMs, nowMs, zone),
  };
}

/** Every so many milliseconds from the first time, where days and hours allow. */
function intervalPattern(
  stepMs: number,
  first: number | undefined,
  window: Schedule,
  zone: string | undefined,
): SchedulePattern {
  const seek = (fromMs: number, direction: 1 | -1, isWithin: (timeMs: number) => boolean) => {
    for (
      let count = 0, time = fromMs;
      count < MAX_STEPS && isWithin(time);
      count++, time += direction * stepMs
    ) {
      if (isAllowed(window, time, zone)) return time;
    }
    return undefined;
  };
  return {
    next: (afterMs) => {
      if (first === undefined) return undefined;
      const steps = Math.max(0, Math.floor((afterMs - first) / stepMs) + 1);
      return seek(first + steps * stepMs, 1, () => true);
    },
    last: (sinceMs, nowMs) => {
      if (first === undefined || nowMs < first) return undefined;
      const steps = Math.floor((nowMs - first) / stepMs);
      return seek(first + steps * stepMs, -1, (time) => time > sinceMs && time >= first);
    },
  };
}

/** One time only is known: the next after the last run. It stays due until it has been run. */
function randomPattern(repeat: Repeat, anchor: PatternAnchor, window: Schedule): SchedulePattern {
  const stepMs = intervalMs(repeat);
  const fromMs = anchor.lastRunMs === undefined ? anchor.startMs : anchor.lastRunMs + stepMs;
  const share = anchor.draw?.(fromMs);
  const due =
    share === undefined
      ? undefined
      : firstAllowed(window, fromMs + Math.floor((share * stepMs) / 1000) * 1000, repeat.timeZone);
  return {
    next: (afterMs) => (due !== undefined && due > afterMs ? due : undefined),
    last: (sinceMs, nowMs) => (due !== undefined && due > sinceMs && due <= nowMs ? due : undefined),
  };
}

function firstAllowed(window: Schedule, fromMs: number, zone: string | undefined): number | undefined {
  return isAllowed(window, fromMs, zone) ? fromMs : nextTime(window, fromMs, zone);
}

/** Whether a moment lies in a minute of the included days and hours. */
function isAllowed(window: Schedule, timeMs: number, zone: string | undefined): boolean {
  const minute = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
  return nextTime(window, minute - MINUTE_MS, zone) === minute;
}

function intervalMs({ properties }: Repeat): number {
  const { hour, minute } = properties?.minChaosInterval ?? {};
  if (minute !== undefined) return Math.max(1, minute.everyNthMinute ?? 1) * MINUTE_MS;
  return Math.max(1, hour?.everyNthHour ?? 1) * HOUR_MS;
}

/** Whether its times follow from clock and calendar alone, not from when the schedule was made. Pure. */
export function isByTheClock(repeat: Repeat): boolean {
  return repeat.properties?.random !== true && cronOf(repeat) !== undefined;
}

/** The cron schedule as upstream makes it; undefined for intervals that do not fit its fields. */
function cronOf(repeat: Repeat): Schedule | undefined {
  const hours = fieldOf(repeat.workHours?.includedHours);
  const { hour, minute } = repeat.properties?.minChaosInterval ?? {};
  if (minute !== undefined) {
    const every = Math.max(1, minute.everyNthMinute ?? 1);
    return every < 60 ? parseSchedule(`*/${every} ${hours} * * ${daysOf(repeat)}`) : undefined;
  }
  const every = Math.max(1, hour?.everyNthHour ?? 1);
  if (every > 23) return undefined;
  const stepped = hours
    .split(',')
    .map((range) => `${range}/${every}`)
    .join(',');
  return parseSchedule(`${hour?.minuteOfTheHour ?? 0} ${stepped} * * ${daysOf(repeat)}`);
}

function daysOf({ workDays }: Repeat): string {
  return fieldOf(workDays?.includedDays);
}

function fieldOf(text: string | undefined): string {
  const field = (text ?? '').replaceAll(' ', '');
  return field === '' ? '*' : field;
}
