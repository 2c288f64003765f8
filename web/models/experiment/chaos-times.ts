import type { ChaosScheduleSpec } from '../../../src/api/index.ts';
import { isByTheClock, schedulePatternOf } from '../../../src/chaos/schedule/schedule-pattern.ts';

type Times = NonNullable<ChaosScheduleSpec['schedule']>;
type Repeat = NonNullable<Times['repeat']>;

/** Times of a ChaosSchedule, as far as known without its cluster. */
export interface ChaosTimes {
  /** In words: `every 10 minutes, on Mon-Fri`. */
  readonly words: string;
  /** Time zone of its days and hours; empty for that of the cluster. */
  readonly timezone: string;
  /** Unix milliseconds. */
  readonly times: readonly number[];
  /** Whether only its operator knows the times, because they are random, or count from its start. */
  readonly isUnknown: boolean;
}

/** The next times of a ChaosSchedule, at most so many. Pure. @param schedule `spec.schedule` */
export function chaosTimes(schedule: Times | undefined, nowMs: number, count: number): ChaosTimes {
  const { now, once, repeat } = schedule ?? {};
  if (repeat !== undefined) return repeated(repeat, nowMs, count);
  const atMs = Date.parse(once?.executionTime ?? '');
  if (now === true || Number.isNaN(atMs))
    return { words: 'once, when it is begun', timezone: '', times: [], isUnknown: false };
  return { words: 'once', timezone: '', times: atMs > nowMs ? [atMs] : [], isUnknown: false };
}

function repeated(repeat: Repeat, nowMs: number, count: number): ChaosTimes {
  const { startTime, endTime } = repeat.timeRange ?? {};
  const isUnknown = repeat.properties?.random === true || (!isByTheClock(repeat) && (startTime ?? '') === '');
  const said = { words: wordsOf(repeat), timezone: repeat.timeZone ?? '', isUnknown };
  if (isUnknown) return { ...said, times: [] };
  const pattern = schedulePatternOf(repeat, {
    startMs: startTime ? Date.parse(startTime) : 0,
    endMs: endTime ? Date.parse(endTime) : undefined,
    lastRunMs: undefined,
    draw: undefined,
  });
  const times: number[] = [];
  for (let time = pattern.next(nowMs); time !== undefined && times.length < count; time = pattern.next(time))
    times.push(time);
  return { ...said, times };
}

function wordsOf({ properties, workDays, workHours, timeRange }: Repeat): string {
  const { hour, minute } = properties?.minChaosInterval ?? {};
  const every =
    minute === undefined
      ? everyWords(hour?.everyNthHour ?? 1, 'hour')
      : everyWords(minute.everyNthMinute ?? 1, 'minute');
  const at = (hour?.minuteOfTheHour ?? 0) === 0 ? '' : `, at minute ${hour?.minuteOfTheHour}`;
  const part = (word: string, text: string | undefined): string =>
    text === undefined || text === '' ? '' : `, ${word} ${text}`;
  return [
    properties?.random === true ? `at random, ${every} or later` : `${every}${at}`,
    part('on', workDays?.includedDays),
    part('in the hours', workHours?.includedHours),
    part('from', timeRange?.startTime),
    part('until', timeRange?.endTime),
  ].join('');
}

function everyWords(count: number, unit: string): string {
  return count <= 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
