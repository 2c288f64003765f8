import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaosTimes } from './chaos-times.ts';

/** A Tuesday. */
const NOW = Date.parse('2026-11-24T09:07:00Z');
const at = (text: string): number => Date.parse(text);
const everyMinutes = (everyNthMinute: number) => ({ minChaosInterval: { minute: { everyNthMinute } } });

type Case = readonly [
  words: string,
  schedule: Parameters<typeof chaosTimes>[0],
  times: readonly string[],
  isUnknown: boolean,
];
const CASES: readonly Case[] = [
  ['once, when it is begun', { now: true }, [], false],
  ['once', { once: { executionTime: '2026-11-25T10:00:00Z' } }, ['2026-11-25T10:00:00Z'], false],
  ['once', { once: { executionTime: '2026-11-20T10:00:00Z' } }, [], false],
  [
    'every 10 minutes, on Wed, in the hours 9-10',
    {
      repeat: {
        ...{ properties: everyMinutes(10), timeZone: 'UTC' },
        ...{ workDays: { includedDays: 'Wed' }, workHours: { includedHours: '9-10' } },
      },
    },
    ['2026-11-25T09:00:00Z', '2026-11-25T09:10:00Z'],
    false,
  ],
  [
    'every 2 hours, at minute 5',
    {
      repeat: {
        ...{ properties: { minChaosInterval: { hour: { everyNthHour: 2, minuteOfTheHour: 5 } } } },
        timeZone: 'UTC',
      },
    },
    ['2026-11-24T10:05:00Z', '2026-11-24T12:05:00Z'],
    false,
  ],
  ['every 90 minutes', { repeat: { properties: everyMinutes(90) } }, [], true],
  [
    'every 90 minutes, from 2026-11-24T09:00:00Z',
    { repeat: { properties: everyMinutes(90), timeRange: { startTime: '2026-11-24T09:00:00Z' } } },
    ['2026-11-24T10:30:00Z', '2026-11-24T12:00:00Z'],
    false,
  ],
  [
    'at random, every 10 minutes or later',
    { repeat: { properties: { random: true, ...everyMinutes(10) } } },
    [],
    true,
  ],
];
for (const [words, schedule, times, isUnknown] of CASES) {
  test(`a ChaosSchedule comes ${words}`, () => {
    const found = chaosTimes(schedule, NOW, 2);
    assert.equal(found.words, words);
    assert.deepEqual(found.times, times.map(at));
    assert.equal(found.isUnknown, isUnknown);
  });
}
