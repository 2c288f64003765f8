import type { ExperimentSchedule } from '../../../src/controlplane/schema/generated/types.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const SHORT_DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const NAMED: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** A cron expression in words: `Monday to Friday at 10:00`. Rare forms stay as they are. Pure. */
export function cronWords(cron: string): string {
  const text = cron.trim();
  const [, every] = /^@every\s+(\S+)$/.exec(text) ?? [];
  if (every !== undefined) return `every ${every}`;
  const fields = (NAMED[text] ?? text).split(/\s+/);
  return (fields.length === 5 ? wordsOf(fields) : undefined) ?? `by the cron expression ${text}`;
}

/** The schedule of an experiment in words, and whether it is active. Pure. */
export function scheduleWords(schedule: ExperimentSchedule | null): string {
  if (schedule === null) return 'on demand';
  const { cron, isBegun, isSuspended } = schedule;
  const words = cron.length === 0 ? 'as its ChaosSchedule says' : cron.map(cronWords).join(', and ');
  const state = !isBegun ? ' (not begun)' : isSuspended ? ' (suspended)' : '';
  return `${words}${state}`;
}

function wordsOf([minute = '', hour = '', day = '', month = '', weekday = '']: readonly string[]):
  | string
  | undefined {
  if (month !== '*') return undefined;
  const isDaily = day === '*' && weekday === '*';
  if (hour === '*' && isDaily) return withinHour(minute);
  const [, hours] = /^\*\/(\d+)$/.exec(hour) ?? [];
  if (hours !== undefined && isDaily && minute === '0') return `every ${hours} hours`;
  if (!isNumber(minute) || !isNumber(hour)) return undefined;
  const time = `${Number(hour)}:${minute.padStart(2, '0')}`;
  if (isDaily) return `every day at ${time}`;
  if (weekday === '*') return isNumber(day) ? `on day ${day} of each month at ${time}` : undefined;
  const days = day === '*' ? daysWords(weekday) : undefined;
  return days === undefined ? undefined : `${days} at ${time}`;
}

function withinHour(minute: string): string | undefined {
  const [, minutes] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (minutes !== undefined) return `every ${minutes} minutes`;
  if (minute === '*') return 'every minute';
  if (!isNumber(minute)) return undefined;
  return Number(minute) === 0 ? 'every hour' : `every hour at minute ${Number(minute)}`;
}

function daysWords(weekday: string): string | undefined {
  const [, from, to] = /^(\w+)-(\w+)$/.exec(weekday) ?? [];
  if (from !== undefined && to !== undefined) {
    const [first, last] = [dayName(from), dayName(to)];
    return first === undefined || last === undefined ? undefined : `${first} to ${last}`;
  }
  const days = weekday.split(',').map(dayName);
  if (days.includes(undefined)) return undefined;
  return `every ${days.join(', ')}`;
}

function dayName(text: string): string | undefined {
  const short = SHORT_DAYS.indexOf(text.toUpperCase());
  return DAYS[short >= 0 ? short : isNumber(text) ? Number(text) : -1];
}

function isNumber(text: string): boolean {
  return /^\d{1,2}$/.test(text);
}
