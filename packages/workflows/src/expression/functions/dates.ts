import { isTimeZone } from '@turnsole/kube/text/cron/time-zone';
import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import { ExpressionError } from '../errors.ts';
import { Duration, Instant, int, printValue, type Value } from '../values.ts';
import { formatLayout, parseDate, parseLayout, wallClockOf } from './go-layout.ts';
import { asInt, asText, type FunctionRow, type FunctionTable, takes } from './row.ts';

/** Built-in functions of expr for times. Source: github.com/expr-lang/expr, docs/language-definition.md. */
export const DATE_FUNCTIONS: FunctionTable = {
  now: takes(0, (_, { now }) => new Instant(now())),
  duration: takes(1, ([text]) => new Duration(readDuration(asText(text)))),
  date: takes([1, 3], ([text, layout, zone]) => {
    const zoneName = zone === undefined ? 'UTC' : readZone(asText(zone));
    if (layout === undefined) return new Instant(parseDate(asText(text), zoneName), zoneName);
    return readTime(asText(text), asText(layout), zoneName);
  }),
  timezone: takes(1, ([name]) => readZone(asText(name))),
};

/** @throws ExpressionError for a text that does not fit the layout */
export function readTime(text: string, layout: string, zone?: string): Instant {
  const ms = parseLayout(text, layout, zone);
  if (ms !== undefined) return new Instant(ms, zone);
  const [what, how] = [text, layout].map((one) => JSON.stringify(one));
  throw new ExpressionError(`parsing time ${what} as ${how}: cannot parse`);
}

/** @throws ExpressionError */
export function readDuration(text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    if (!(cause instanceof DurationError)) throw cause;
    throw new ExpressionError(`time: invalid duration ${JSON.stringify(text)}`, undefined, undefined, {
      cause,
    });
  }
}

/** @throws ExpressionError for a name that is no time zone */
export function readZone(name: string): string {
  if (name === '' || name === 'UTC') return 'UTC';
  if (!isTimeZone(name)) throw new ExpressionError(`unknown time zone ${name}`);
  return name;
}

/** Methods of a time or a duration; the first argument is the value itself. */
export const METHODS: Readonly<Record<'Instant' | 'Duration', FunctionTable>> = {
  Instant: {
    Year: clockPart(({ year }) => year),
    Month: clockPart(({ month }) => month + 1),
    Day: clockPart(({ day }) => day),
    Hour: clockPart(({ hour }) => hour),
    Minute: clockPart(({ minute }) => minute),
    Second: clockPart(({ second }) => second),
    Nanosecond: clockPart(({ millisecond }) => millisecond * 1e6),
    Weekday: clockPart(({ weekday }) => weekday),
    YearDay: clockPart(({ yearDay }) => yearDay),
    Unix: takes(1, ([self]) => int(Math.floor(instant(self).ms / 1000))),
    UnixMilli: takes(1, ([self]) => int(Math.floor(instant(self).ms))),
    UnixNano: takes(1, ([self]) => int(Math.floor(instant(self).ms)) * 1_000_000n),
    Format: takes(2, ([self, layout]) => formatLayout(instant(self), asText(layout))),
    String: takes(1, ([self = null]) => printValue(self)),
    UTC: takes(1, ([self]) => new Instant(instant(self).ms)),
    In: takes(2, ([self, zone]) => new Instant(instant(self).ms, asText(zone))),
    Add: takes(2, ([self, by]) => new Instant(instant(self).ms + length(by).ms, instant(self).zone)),
    Sub: takes(2, ([self, other]) => new Duration(instant(self).ms - instant(other).ms)),
    AddDate: takes(4, ([self, years, months, days]) => {
      const date = new Date(instant(self).ms);
      date.setUTCFullYear(
        date.getUTCFullYear() + Number(asInt(years)),
        date.getUTCMonth() + Number(asInt(months)),
        date.getUTCDate() + Number(asInt(days)),
      );
      return new Instant(date.getTime(), instant(self).zone);
    }),
    Before: takes(2, ([self, other]) => instant(self).ms < instant(other).ms),
    After: takes(2, ([self, other]) => instant(self).ms > instant(other).ms),
    Equal: takes(2, ([self, other]) => instant(self).ms === instant(other).ms),
    Truncate: takes(2, ([self, to]) => {
      const { ms, zone } = instant(self);
      return new Instant(length(to).ms <= 0 ? ms : Math.floor(ms / length(to).ms) * length(to).ms, zone);
    }),
  },
  Duration: {
    Hours: takes(1, ([self]) => length(self).ms / 3_600_000),
    Minutes: takes(1, ([self]) => length(self).ms / 60_000),
    Seconds: takes(1, ([self]) => length(self).ms / 1000),
    Milliseconds: takes(1, ([self]) => int(length(self).ms)),
    Microseconds: takes(1, ([self]) => int(length(self).ms * 1e3)),
    Nanoseconds: takes(1, ([self]) => int(length(self).ms * 1e6)),
    String: takes(1, ([self = null]) => printValue(self)),
  },
};

function clockPart(part: (clock: ReturnType<typeof wallClockOf>) => number): FunctionRow {
  return takes(1, ([self]) => int(part(wallClockOf(instant(self)))));
}

function instant(value: Value | undefined): Instant {
  if (value instanceof Instant) return value;
  throw new ExpressionError('expected a time');
}

function length(value: Value | undefined): Duration {
  if (value instanceof Duration) return value;
  throw new ExpressionError('expected a duration');
}
