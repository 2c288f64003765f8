import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheduleMistakes } from './cron-schedule.ts';

const ROWS: readonly (readonly [schedule: string, ...mistakes: readonly string[]])[] = [
  ['*/5 * * * *'],
  ['0 0 31 2 *'],
  ['0,30 8-18/2 1 jan-mar MON-FRI'],
  ['5/15 ? * * *'],
  ['@hourly'],
  ['@every 1h30m'],
  ['@reboot', 'unrecognized descriptor: @reboot'],
  ['nonsense', 'expected exactly 5 fields, found 1: [nonsense]'],
  ['*/5  * * *', 'expected exactly 5 fields, found 4: [*/5 * * *]'],
  ['61 * * * *', 'end of range (61) above maximum (59): 61'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['30-10 * * * *', 'beginning of range (30) beyond end of range (10): 30-10'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['TZ=UTC 0 0 * * *', 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
];

test('schedules are read as on a real server', () => {
  for (const [schedule, ...mistakes] of ROWS)
    assert.deepEqual(scheduleMistakes(schedule), mistakes, schedule);
});
