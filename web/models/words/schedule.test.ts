import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentSchedule } from '../../../src/controlplane/schema/generated/types.ts';
import { cronWords, scheduleWords } from './schedule.ts';

const WORDS: Readonly<Record<string, string>> = {
  '* * * * *': 'every minute',
  '*/15 * * * *': 'every 15 minutes',
  '0 * * * *': 'every hour',
  '05 * * * *': 'every hour at minute 5',
  '0 */6 * * *': 'every 6 hours',
  '0 3 * * *': 'every day at 3:00',
  '5 10 * * 1-5': 'Monday to Friday at 10:05',
  '0 10 * * MON': 'every Monday at 10:00',
  '0 10 * * 1,3,7': 'every Monday, Wednesday, Sunday at 10:00',
  '30 4 1 * *': 'on day 1 of each month at 4:30',
  '@daily': 'every day at 0:00',
  '@weekly': 'every Sunday at 0:00',
  '@every 6h': 'every 6h',
  // Either day counts in cron, which no short sentence says.
  '0 3 1 * 1': 'by the cron expression 0 3 1 * 1',
  '0 3 * 6 *': 'by the cron expression 0 3 * 6 *',
  '0 3 * * 9': 'by the cron expression 0 3 * * 9',
  '0,30 3 * * *': 'by the cron expression 0,30 3 * * *',
  'no cron': 'by the cron expression no cron',
};

for (const [cron, words] of Object.entries(WORDS)) {
  test(`${cron} comes ${words}`, () => assert.equal(cronWords(cron), words));
}

const SCHEDULES: readonly [words: string, schedule: Partial<ExperimentSchedule> | null][] = [
  ['on demand', null],
  ['every hour', {}],
  ['every hour (not begun)', { isBegun: false, isSuspended: true }],
  ['every hour, and every day at 3:00 (suspended)', { cron: ['0 * * * *', '0 3 * * *'], isSuspended: true }],
  ['as its ChaosSchedule says', { cron: [] }],
];
for (const [words, given] of SCHEDULES) {
  test(`an experiment runs ${words}`, () => {
    const schedule = { cron: ['0 * * * *'], timezone: '', isSuspended: false, isBegun: true };
    assert.equal(scheduleWords(given === null ? null : { ...schedule, ...given }), words);
  });
}
