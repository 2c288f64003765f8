/** Tables and properties of the times of repeated schedules. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ChaosSchedule } from '../../api/index.ts';
import { drawsOf } from './draw-time.ts';
import { isByTheClock, type PatternAnchor, schedulePatternOf } from './schedule-pattern.ts';

type Repeat = NonNullable<NonNullable<ChaosSchedule['spec']['schedule']>['repeat']>;

/** 2030-01-01 is a Tuesday. */
const START = '2030-01-01T09:07:00Z';

function anchor(changes: Partial<PatternAnchor> = {}): PatternAnchor {
  return {
    startMs: Date.parse(START),
    endMs: undefined,
    lastRunMs: undefined,
    draw: drawsOf('s'),
    ...changes,
  };
}
const minutes = (everyNthMinute: number, rest: Repeat = {}): Repeat => ({
  ...rest,
  properties: { minChaosInterval: { minute: { everyNthMinute } } },
});
const hours = (everyNthHour: number, minuteOfTheHour: number, rest: Repeat = {}): Repeat => ({
  ...rest,
  properties: { minChaosInterval: { hour: { everyNthHour, minuteOfTheHour } } },
});

/** The first times from the start on. */
function times(repeat: Repeat, count: number): string[] {
  const pattern = schedulePatternOf(repeat, anchor());
  const found: string[] = [];
  for (let at: number | undefined = Number.NEGATIVE_INFINITY; found.length < count; ) {
    at = pattern.next(at);
    if (at === undefined) break;
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

const TIMES: readonly [name: string, repeat: Repeat, expected: string[]][] = [
  [
    'at the start, then on the grid of the minutes',
    minutes(10),
    ['2030-01-01T09:07', '2030-01-01T09:10', '2030-01-01T09:20'],
  ],
  [
    'every other hour at a minute',
    hours(2, 30),
    ['2030-01-01T09:07', '2030-01-01T10:30', '2030-01-01T12:30'],
  ],
  [
    'hours that forbid the start: from their beginning',
    minutes(30, { workHours: { includedHours: '12-13' } }),
    ['2030-01-01T12:00', '2030-01-01T12:30', '2030-01-01T13:00', '2030-01-01T13:30', '2030-01-02T12:00'],
  ],
  [
    'both ends of the hours are included, steps begin with the first',
    hours(4, 15, { workHours: { includedHours: '1-9' } }),
    ['2030-01-01T09:07', '2030-01-01T09:15', '2030-01-02T01:15', '2030-01-02T05:15'],
  ],
  [
    'days by name',
    hours(6, 0, { workDays: { includedDays: 'Wed, Sat' } }),
    ['2030-01-02T00:00', '2030-01-02T06:00', '2030-01-02T12:00', '2030-01-02T18:00', '2030-01-05T00:00'],
  ],
  [
    'days by number and range',
    hours(23, 0, { workDays: { includedDays: '4-5' } }),
    ['2030-01-03T00:00', '2030-01-03T23:00', '2030-01-04T00:00', '2030-01-04T23:00', '2030-01-10T00:00'],
  ],
  [
    'an interval beyond the cron field counts from the start',
    minutes(90),
    ['2030-01-01T09:07', '2030-01-01T10:37', '2030-01-01T12:07'],
  ],
  [
    'every second day',
    hours(48, 0, { workDays: { includedDays: 'Mon-Fri' } }),
    ['2030-01-01T09:07', '2030-01-03T09:07', '2030-01-07T09:07'],
  ],
  [
    'by the clocks of a zone',
    hours(1, 0, { timeZone: 'America/New_York', workHours: { includedHours: '9-10' } }),
    ['2030-01-01T14:00', '2030-01-01T15:00', '2030-01-02T14:00'],
  ],
];
for (const [name, repeat, expected] of TIMES) {
  test(`pattern: ${name}`, () => assert.deepEqual(times(repeat, expected.length), expected));
}

test('pattern: nothing after the end of the range', () => {
  const endMs = Date.parse('2030-01-01T09:15:00Z');
  const pattern = schedulePatternOf(minutes(10), anchor({ endMs }));
  assert.equal(pattern.next(Date.parse('2030-01-01T09:10:00Z')), undefined);
  assert.equal(pattern.last(0, Date.parse('2030-01-02T00:00:00Z')), Date.parse('2030-01-01T09:10:00Z'));
});

test('pattern: at random, one to two intervals after the last run, within the hours', () => {
  const repeat: Repeat = {
    ...minutes(10),
    properties: { random: true, minChaosInterval: { minute: { everyNthMinute: 10 } } },
  };
  const at = Date.parse(START);
  const seen = new Set<number>();
  for (const seed of ['a', 'b', 'c', 'd']) {
    const pattern = schedulePatternOf(repeat, anchor({ draw: drawsOf(seed), lastRunMs: at }));
    const next = pattern.next(at) ?? 0;
    seen.add(next);
    assert.ok(next >= at + 600_000 && next < at + 1_200_000, new Date(next).toISOString());
    assert.equal(pattern.last(at, next), next);
    assert.equal(pattern.last(at, next - 1), undefined);
  }
  assert.ok(seen.size > 1);
  const late: Repeat = { ...repeat, workHours: { includedHours: '20' } };
  assert.equal(
    new Date(schedulePatternOf(late, anchor({ lastRunMs: at })).next(at) ?? 0).toISOString(),
    '2030-01-01T20:00:00.000Z',
  );
});

test('pattern: the last time is the greatest of all that came', () => {
  const repeats = fc.oneof(
    fc.integer({ min: 1, max: 200 }).map((every) => minutes(every)),
    fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(59)).map(([every, at]) => hours(every, at)),
    fc.integer({ min: 7, max: 59 }).map((every) => minutes(every, { workDays: { includedDays: 'Wed' } })),
  );
  fc.assert(
    fc.property(repeats, fc.nat(3 * 24 * 60), fc.nat(24 * 60), (repeat, untilMinutes, sinceMinutes) => {
      const pattern = schedulePatternOf(repeat, anchor());
      const now = Date.parse(START) + untilMinutes * 60_000;
      const since = Date.parse(START) + (sinceMinutes - 60) * 60_000;
      let expected: number | undefined;
      for (let at = pattern.next(since); at !== undefined && at <= now; at = pattern.next(at)) expected = at;
      assert.equal(pattern.last(since, now), expected);
    }),
    { numRuns: 60 },
  );
});

test('pattern: who cannot know the random times is given none', () => {
  const repeat: Repeat = {
    properties: { random: true, minChaosInterval: { minute: { everyNthMinute: 10 } } },
  };
  assert.equal(schedulePatternOf(repeat, anchor({ draw: undefined })).next(Date.parse(START)), undefined);
});

test('pattern: times that follow from the clock alone are distinguished from those that count from the start', () => {
  assert.ok(isByTheClock(minutes(10)));
  assert.ok(isByTheClock(hours(23, 5)));
  assert.ok(!isByTheClock(minutes(90)));
  assert.ok(!isByTheClock(hours(30, 0)));
  assert.ok(
    !isByTheClock({ properties: { random: true, minChaosInterval: { minute: { everyNthMinute: 10 } } } }),
  );
});
