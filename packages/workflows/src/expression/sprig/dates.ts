import { readDuration, readTime, readZone } from '../functions/dates.ts';
import { formatLayout, parseLayout } from '../functions/go-layout.ts';
import { asInt, asText, type FunctionContext, type FunctionTable, takes } from '../functions/row.ts';
import { Duration, Instant, printValue, type Value } from '../values.ts';

/** Functions of times; the zone that Sprig calls local is UTC here. Source: masterminds.github.io/sprig, date. */
export const DATES: FunctionTable = {
  now: takes(0, (_, { now }) => new Instant(now())),
  date: takes(2, ([layout, time], context) => formatLayout(timeOf(time, context), asText(layout))),
  dateInZone: takes(3, inZone),
  date_in_zone: takes(3, inZone),
  htmlDate: takes(1, ([time], context) => formatLayout(timeOf(time, context), '2006-01-02')),
  htmlDateInZone: takes(2, ([time, zone], context) =>
    inZone(['2006-01-02', time ?? null, zone ?? ''], context),
  ),
  dateModify: takes(2, ([by, time], context) => modified(asText(by), timeOf(time, context), false)),
  date_modify: takes(2, ([by, time], context) => modified(asText(by), timeOf(time, context), false)),
  mustDateModify: takes(2, ([by, time], context) => modified(asText(by), timeOf(time, context), true)),
  must_date_modify: takes(2, ([by, time], context) => modified(asText(by), timeOf(time, context), true)),
  toDate: takes(
    2,
    ([layout, text]) => new Instant(parseLayout(asText(text), asText(layout)) ?? Date.UTC(1, 0, 1)),
  ),
  mustToDate: takes(2, ([layout, text]) => readTime(asText(text), asText(layout))),
  unixEpoch: takes(1, ([time], context) => String(Math.floor(timeOf(time, context).ms / 1000))),
  ago: takes(1, ([time], context) =>
    printValue(new Duration(Math.round((context.now() - timeOf(time, context).ms) / 1000) * 1000)),
  ),
  duration: takes(1, ([seconds = null]) => printValue(new Duration(secondsOf(seconds) * 1000))),
  durationRound: takes(1, ([value = null], context) => inLargestUnit(lengthOf(value, context))),
};

/** A time; whole numbers are seconds since 1970, and anything else is now. */
function timeOf(value: Value | undefined, { now }: FunctionContext): Instant {
  if (value instanceof Instant) return value;
  return typeof value === 'bigint' ? new Instant(Number(asInt(value)) * 1000) : new Instant(now());
}

function inZone([layout, time, zone]: readonly Value[], context: FunctionContext): string {
  const { ms } = timeOf(time, context);
  return formatLayout(new Instant(ms, zoneOrUtc(asText(zone))), asText(layout));
}

function zoneOrUtc(name: string): string {
  try {
    return readZone(name === 'Local' ? 'UTC' : name);
  } catch {
    return 'UTC';
  }
}

/** @param mustFit whether a duration that cannot be read is an error; otherwise the time stays as it is */
function modified(by: string, time: Instant, mustFit: boolean): Instant {
  try {
    return new Instant(time.ms + readDuration(by), time.zone);
  } catch (error) {
    if (mustFit) throw error;
    return time;
  }
}

function secondsOf(value: Value): number {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : 0;
}

function lengthOf(value: Value, { now }: FunctionContext): number {
  if (value instanceof Instant) return now() - value.ms;
  if (typeof value === 'bigint') return Number(value) / 1e6;
  if (typeof value !== 'string') return 0;
  try {
    return readDuration(value);
  } catch {
    return 0;
  }
}

const HOUR = 3_600_000;
const UNITS = [
  ['y', 365 * 24 * HOUR],
  ['mo', 30 * 24 * HOUR],
  ['d', 24 * HOUR],
  ['h', HOUR],
  ['m', 60_000],
  ['s', 1000],
] as const;

function inLargestUnit(ms: number): string {
  const size = Math.abs(ms);
  const [unit, length] = UNITS.find(([, one]) => size > one) ?? ['s', Number.POSITIVE_INFINITY];
  return `${Math.floor(size / length)}${unit}`;
}
