import { isTimeZone } from '../../../text/cron/time-zone.ts';
import { DurationError, parseDuration } from '../../../text/duration.ts';
import { ExpressionError } from '../errors.ts';
import { Duration, Instant, int, printValue, type Value } from '../values.ts';
import { formatLayout, parseDate, parseLayout, wallClockOf } from './go-layout.ts';
import { asInt, asText, type FunctionRow, type FunctionTable } from './row.ts';

/** Built-in functions of expr for times. Source: github.com/expr-lang/expr, docs/language-definition.md. */
export const DATE_FUNCTIONS: FunctionTable = {
  now: { arity: [0, 0], run: (_, { now }) => new Instant(now()) },
  duration: { arity: [1, 1], run: ([text]) => new Duration(readDuration(asText(text))) },
  date: {
    arity: [1, 3],
    run: ([text, layout, zone]) => {
      const zoneName = zone === undefined ? 'UTC' : readZone(asText(zone));
      if (layout === undefined) return new Instant(parseDate(asText(text), zoneName), zoneName);
      const ms = parseLayout(asText(text), asText(layout), zoneName);
      if (ms !== undefined) return new Instant(ms, zoneName);
      const [what, how] = [asText(text), asText(layout)].map((one) => JSON.stringify(one));
      throw new ExpressionError(`parsing time ${what} as ${how}: cannot parse`);
    },
  },
  timezone: { arity: [1, 1], run: ([name]) => readZone(asText(name)) },
};

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
    Unix: { arity: [1, 1], run: ([self]) => int(Math.floor(instant(self).ms / 1000)) },
    UnixMilli: { arity: [1, 1], run: ([self]) => int(Math.floor(instant(self).ms)) },
    UnixNano: { arity: [1, 1], run: ([self]) => int(Math.floor(instant(self).ms)) * 1_000_000n },
    Format: { arity: [2, 2], run: ([self, layout]) => formatLayout(instant(self), asText(layout)) },
    String: { arity: [1, 1], run: ([self = null]) => printValue(self) },
    UTC: { arity: [1, 1], run: ([self]) => new Instant(instant(self).ms) },
    In: { arity: [2, 2], run: ([self, zone]) => new Instant(instant(self).ms, asText(zone)) },
    Add: {
      arity: [2, 2],
      run: ([self, by]) => new Instant(instant(self).ms + length(by).ms, instant(self).zone),
    },
    Sub: { arity: [2, 2], run: ([self, other]) => new Duration(instant(self).ms - instant(other).ms) },
    AddDate: {
      arity: [4, 4],
      run: ([self, years, months, days]) => {
        const date = new Date(instant(self).ms);
        date.setUTCFullYear(
          date.getUTCFullYear() + Number(asInt(years)),
          date.getUTCMonth() + Number(asInt(months)),
          date.getUTCDate() + Number(asInt(days)),
        );
        return new Instant(date.getTime(), instant(self).zone);
      },
    },
    Before: { arity: [2, 2], run: ([self, other]) => instant(self).ms < instant(other).ms },
    After: { arity: [2, 2], run: ([self, other]) => instant(self).ms > instant(other).ms },
    Equal: { arity: [2, 2], run: ([self, other]) => instant(self).ms === instant(other).ms },
    Truncate: {
      arity: [2, 2],
      run: ([self, to]) => {
        const { ms, zone } = instant(self);
        return new Instant(length(to).ms <= 0 ? ms : Math.floor(ms / length(to).ms) * length(to).ms, zone);
      },
    },
  },
  Duration: {
    Hours: { arity: [1, 1], run: ([self]) => length(self).ms / 3_600_000 },
    Minutes: { arity: [1, 1], run: ([self]) => length(self).ms / 60_000 },
    Seconds: { arity: [1, 1], run: ([self]) => length(self).ms / 1000 },
    Milliseconds: { arity: [1, 1], run: ([self]) => int(length(self).ms) },
    Microseconds: { arity: [1, 1], run: ([self]) => int(length(self).ms * 1e3) },
    Nanoseconds: { arity: [1, 1], run: ([self]) => int(length(self).ms * 1e6) },
    String: { arity: [1, 1], run: ([self = null]) => printValue(self) },
  },
};

function clockPart(part: (clock: ReturnType<typeof wallClockOf>) => number): FunctionRow {
  return { arity: [1, 1], run: ([self]) => int(part(wallClockOf(instant(self)))) };
}

function instant(value: Value | undefined): Instant {
  if (value instanceof Instant) return value;
  throw new ExpressionError('expected a time');
}

function length(value: Value | undefined): Duration {
  if (value instanceof Duration) return value;
  throw new ExpressionError('expected a duration');
}
