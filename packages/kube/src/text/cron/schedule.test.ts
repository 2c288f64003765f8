import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { lastTime, nextTime, parseSchedule, ScheduleError } from './schedule.ts';

function next(schedule: string, after: string, timeZone?: string): string | undefined {
  const time = nextTime(parseSchedule(schedule), Date.parse(after), timeZone);
  return time === undefined ? undefined : new Date(time).toISOString();
}

describe('the next time', () => {
  const table: readonly (readonly [string, string, string | undefined, string | undefined])[] = [
    ['* * * * *', '2025-03-01T12:00:00Z', undefined, '2025-03-01T12:01:00.000Z'],
    ['* * * * *', '2025-03-01T12:00:30Z', undefined, '2025-03-01T12:01:00.000Z'],
    ['*/15 * * * *', '2025-03-01T12:46:00Z', undefined, '2025-03-01T13:00:00.000Z'],
    ['5-7,30 9 * * *', '2025-03-01T09:07:00Z', undefined, '2025-03-01T09:30:00.000Z'],
    ['0 0 1 1 *', '2025-03-01T12:00:00Z', undefined, '2026-01-01T00:00:00.000Z'],
    ['@hourly', '2025-03-01T12:00:00Z', undefined, '2025-03-01T13:00:00.000Z'],
    ['0 9 * * MON-FRI', '2025-03-01T12:00:00Z', undefined, '2025-03-03T09:00:00.000Z'],
    ['0 0 * * 7', '2025-03-01T12:00:00Z', undefined, '2025-03-02T00:00:00.000Z'],
    ['0 0 13 * 5', '2025-03-01T12:00:00Z', undefined, '2025-03-07T00:00:00.000Z'],
    // A step above 1 restricts a day field, so either may match; a star anywhere in the list does not.
    ['0 0 */10 * 0', '2025-03-01T12:00:00Z', undefined, '2025-03-02T00:00:00.000Z'],
    ['0 0 ?/10 * SUN', '2025-03-01T12:00:00Z', undefined, '2025-03-02T00:00:00.000Z'],
    ['0 0 1 * */2', '2025-03-01T12:00:00Z', undefined, '2025-03-02T00:00:00.000Z'],
    ['0 0 */1 * 1', '2025-03-01T12:00:00Z', undefined, '2025-03-03T00:00:00.000Z'],
    ['0 0 */2,* * 1', '2025-03-01T12:00:00Z', undefined, '2025-03-03T00:00:00.000Z'],
    ['0 0 15,? * 1', '2025-03-01T12:00:00Z', undefined, '2025-03-03T00:00:00.000Z'],
    ['0 0 29 2 *', '2025-03-01T12:00:00Z', undefined, '2028-02-29T00:00:00.000Z'],
    ['0 0 30 2 *', '2025-03-01T12:00:00Z', undefined, undefined],
    ['0 9 * jun *', '2025-03-01T12:00:00Z', 'Europe/Berlin', '2025-06-01T07:00:00.000Z'],
    // Clocks go from 2:00 to 3:00: 2:30 does not come on that day.
    ['30 2 * * *', '2025-03-30T00:00:00Z', 'Europe/Berlin', '2025-03-31T00:30:00.000Z'],
    // Clocks go from 3:00 back to 2:00: 2:30 comes once.
    ['30 2 * * *', '2025-10-26T00:30:00Z', 'Europe/Berlin', '2025-10-27T01:30:00.000Z'],
  ];
  for (const [schedule, after, timeZone, expected] of table) {
    test(`of ${schedule} after ${after} in ${timeZone ?? 'UTC'}`, () => {
      assert.equal(next(schedule, after, timeZone), expected);
    });
  }
});

test('what is no schedule is refused with the reason', () => {
  for (const text of [
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    'x * * * *',
    '1/2/3 * * * *',
  ]) {
    assert.throws(() => parseSchedule(text), ScheduleError, text);
  }
});

test('the last time is the one after which none came', () => {
  const schedule = fc.constantFrom('* * * * *', '*/7 * * * *', '15 3 * * *', '0 0 1 * *', '30 12 * * 1');
  const now = fc.integer({
    min: Date.parse('2024-01-01T00:00:00Z'),
    max: Date.parse('2026-01-01T00:00:00Z'),
  });
  fc.assert(
    fc.property(schedule, now, fc.integer({ min: 0, max: 60 * 86_400_000 }), (text, nowMs, backMs) => {
      const parsed = parseSchedule(text);
      const last = lastTime(parsed, nowMs - backMs, nowMs, undefined);
      const first = nextTime(parsed, nowMs - backMs, undefined);
      if (last === undefined) {
        assert.ok(first === undefined || first > nowMs);
      } else {
        assert.ok(last > nowMs - backMs && last <= nowMs);
        assert.ok((nextTime(parsed, last, undefined) ?? Number.POSITIVE_INFINITY) > nowMs);
      }
    }),
    { numRuns: 100 },
  );
});
