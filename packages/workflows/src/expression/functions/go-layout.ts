import { offsetMs } from '@turnsole/kube/text/cron/time-zone';
import { ExpressionError } from '../errors.ts';
import type { Instant } from '../values.ts';

/**
 * Times as Go's layouts write them: a layout is how 2 January 2006, 15:04:05 in the zone -0700 would be written.
 * Source: the documentation of Go's package time, Layout.
 */

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The parts of a layout, longer ones first. */
const PART =
  /January|Jan|Monday|Mon|MST|2006|002|__2|_2|01|02|03|04|05|06|15|PM|pm|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07|[.,](?:0+|9+)(?!\d)|1|2|3|4|5/g;

/** Layouts that have a name in Go. */
const LAYOUTS = {
  date: '2006-01-02',
  rfc3339: '2006-01-02T15:04:05Z07:00',
} as const;

/** The layouts that {@link parseLayout} tries by default, in this order. */
const DATE_LAYOUTS = [
  '2006-01-02',
  '15:04:05',
  '2006-01-02 15:04:05',
  LAYOUTS.rfc3339,
  '02 Jan 06 15:04 MST',
  'Monday, 02-Jan-06 15:04:05 MST',
  'Mon, 02 Jan 2006 15:04:05 MST',
] as const;

/** The parts of a time in its zone. */
interface WallClock {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly yearDay: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  readonly offsetMinutes: number;
}

/** What a clock on the wall of the time's zone shows. */
export function wallClockOf({ ms, zone }: Instant): WallClock {
  const offset = offsetMs(ms, zone);
  const local = new Date(ms + offset);
  const year = local.getUTCFullYear();
  return {
    year,
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    yearDay: Math.floor((local.getTime() - Date.UTC(year, 0, 1)) / 86_400_000) + 1,
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    millisecond: local.getUTCMilliseconds(),
    offsetMinutes: Math.round(offset / 60_000),
  };
}

/** Writes a time in a layout. */
export function formatLayout(instant: Instant, layout: string): string {
  const clock = wallClockOf(instant);
  return layout.replace(PART, (part) => written(part, clock, instant.zone));
}

function written(part: string, clock: WallClock, zone: string): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const hour12 = clock.hour % 12 === 0 ? 12 : clock.hour % 12;
  switch (part) {
    case '2006':
      return String(clock.year).padStart(4, '0');
    case '06':
      return two(clock.year % 100);
    case 'January':
      return MONTHS[clock.month] ?? '';
    case 'Jan':
      return (MONTHS[clock.month] ?? '').slice(0, 3);
    case '01':
      return two(clock.month + 1);
    case '1':
      return String(clock.month + 1);
    case 'Monday':
      return DAYS[clock.weekday] ?? '';
    case 'Mon':
      return (DAYS[clock.weekday] ?? '').slice(0, 3);
    case '02':
      return two(clock.day);
    case '_2':
      return String(clock.day).padStart(2);
    case '2':
      return String(clock.day);
    case '002':
      return String(clock.yearDay).padStart(3, '0');
    case '__2':
      return String(clock.yearDay).padStart(3);
    case '15':
      return two(clock.hour);
    case '03':
      return two(hour12);
    case '3':
      return String(hour12);
    case '04':
      return two(clock.minute);
    case '4':
      return String(clock.minute);
    case '05':
      return two(clock.second);
    case '5':
      return String(clock.second);
    case 'PM':
      return clock.hour < 12 ? 'AM' : 'PM';
    case 'pm':
      return clock.hour < 12 ? 'am' : 'pm';
    case 'MST':
      return zone === 'UTC' ? 'UTC' : zoneText('-0700', clock.offsetMinutes);
    default:
      return /^[.,]/.test(part) ? fraction(part, clock.millisecond) : zoneText(part, clock.offsetMinutes);
  }
}

/** `.000` has all its digits, `.999` none that are 0 at the end. */
function fraction(part: string, millisecond: number): string {
  const digits = `${String(millisecond).padStart(3, '0')}000000`.slice(0, part.length - 1);
  if (part.includes('0')) return `${part[0]}${digits}`;
  const trimmed = digits.replace(/0+$/, '');
  return trimmed === '' ? '' : `${part[0]}${trimmed}`;
}

function zoneText(part: string, offsetMinutes: number): string {
  if (part.startsWith('Z') && offsetMinutes === 0) return 'Z';
  const sign = offsetMinutes < 0 ? '-' : '+';
  const size = Math.abs(offsetMinutes);
  const [hours, minutes] = [Math.floor(size / 60), size % 60].map((value) => String(value).padStart(2, '0'));
  const colon = part.includes(':') ? ':' : '';
  const seconds = /(?::00|0000)$/.test(part.slice(3)) ? `${colon}00` : '';
  return part.length <= 3 ? `${sign}${hours}` : `${sign}${hours}${colon}${minutes}${seconds}`;
}

/** What parts of a layout look like in a text, and what they say. */
const READERS: Readonly<Record<string, readonly [pattern: string, field: string]>> = {
  '2006': ['\\d{4}', 'year'],
  '06': ['\\d{2}', 'shortYear'],
  January: [MONTHS.join('|'), 'monthName'],
  Jan: [MONTHS.map((name) => name.slice(0, 3)).join('|'), 'monthName'],
  '01': ['\\d{2}', 'month'],
  '1': ['\\d{1,2}', 'month'],
  Monday: [DAYS.join('|'), ''],
  Mon: [DAYS.map((name) => name.slice(0, 3)).join('|'), ''],
  '02': ['\\d{2}', 'day'],
  _2: [' ?\\d{1,2}', 'day'],
  '2': ['\\d{1,2}', 'day'],
  '15': ['\\d{2}', 'hour'],
  '03': ['\\d{2}', 'hour'],
  '3': ['\\d{1,2}', 'hour'],
  '04': ['\\d{2}', 'minute'],
  '4': ['\\d{1,2}', 'minute'],
  '05': ['\\d{2}', 'second'],
  '5': ['\\d{1,2}', 'second'],
  PM: ['AM|PM', 'half'],
  pm: ['am|pm', 'half'],
  MST: ['[A-Z]{3,4}', 'zoneName'],
};

/**
 * Reads a time that is written in a layout.
 *
 * @param zone what a time without a zone of its own is in
 * @returns milliseconds since 1970; undefined when the text does not fit
 */
export function parseLayout(text: string, layout: string, zone = 'UTC'): number | undefined {
  const fields: string[] = [];
  let pattern = '';
  let after = 0;
  for (const match of layout.matchAll(PART)) {
    pattern += escapeRegExp(layout.slice(after, match.index));
    after = match.index + match[0].length;
    const [source, field] = READERS[match[0]] ?? readerOf(match[0]);
    pattern += `(${source})`;
    fields.push(field);
    // A fraction may follow the seconds although the layout has none.
    if (field === 'second' && !/^[.,][09]/.test(layout.slice(after))) {
      pattern += '([.,]\\d+)?';
      fields.push('fraction');
    }
  }
  const found = new RegExp(`^${pattern}${escapeRegExp(layout.slice(after))}$`).exec(text);
  if (found === null) return undefined;
  const read = Object.fromEntries(fields.map((field, index) => [field, found[index + 1] ?? '']));
  return timeOf(read, zone);
}

function readerOf(part: string): readonly [string, string] {
  if (/^[.,]/.test(part)) return ['(?:[.,]\\d+)?', 'fraction'];
  const colon = part.includes(':') ? ':' : '';
  const minutes = part.length <= 3 ? '' : `${colon}\\d{2}`;
  return [`${part.startsWith('Z') ? 'Z|' : ''}[+-]\\d{2}${minutes}`, 'offset'];
}

function timeOf(read: Readonly<Record<string, string>>, zone: string): number | undefined {
  const number = (field: string, otherwise: number): number =>
    read[field] ? Number(read[field]) : otherwise;
  const short = number('shortYear', -1);
  const year = short < 0 ? number('year', 0) : short + (short >= 69 ? 1900 : 2000);
  const named = MONTHS.findIndex((name) => read.monthName && name.startsWith(read.monthName.slice(0, 3)));
  const month = named >= 0 ? named : number('month', 1) - 1;
  const day = number('day', 1);
  let hour = number('hour', 0);
  if (read.half?.toLowerCase() === 'pm' && hour < 12) hour += 12;
  if (read.half?.toLowerCase() === 'am' && hour === 12) hour = 0;
  const [minute, second] = [number('minute', 0), number('second', 0)];
  const isInRange = month >= 0 && month < 12 && hour < 24 && minute < 60 && second < 60;
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (!isInRange || date.getUTCMonth() !== month || day < 1) return undefined;
  const fractionMs = read.fraction ? Number(`0.${read.fraction.slice(1)}`) * 1000 : 0;
  const wall = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + Math.floor(fractionMs);
  if (read.offset && read.offset !== 'Z') {
    const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?/.exec(read.offset) ?? [];
    return wall - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  }
  const isUtc = read.offset === 'Z' || read.zoneName === 'UTC' || read.zoneName === 'GMT';
  return isUtc ? wall : wall - offsetMs(wall - offsetMs(wall, zone), zone);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** Reads a date in any of the usual forms. @throws ExpressionError */
export function parseDate(text: string, zone = 'UTC'): number {
  for (const layout of DATE_LAYOUTS) {
    const ms = parseLayout(text, layout, zone);
    if (ms !== undefined) return ms;
  }
  throw new ExpressionError(`invalid date ${text}`);
}
