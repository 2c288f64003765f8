import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRuns, type ScheduledExperiment, silentWords } from './next-runs.ts';

const NOW = Date.UTC(2026, 10, 24, 9, 0);
const at = (day: number, hour: number, minute: number): number => Date.UTC(2026, 10, day, hour, minute);

function scheduled(name: string, schedule: Partial<ScheduledExperiment['schedule']>): ScheduledExperiment {
  const given = { cron: ['0 * * * *'], timezone: '', isSuspended: false, isBegun: true, ...schedule };
  return { experimentID: `id-${name}`, name, infra: { name: 'lab' }, schedule: given };
}

test('runs of several schedules stand in the order in which they come, each by its own clocks', () => {
  const { runs } = nextRuns(
    [
      scheduled('hourly', {}),
      scheduled('berlin', { cron: ['30 10 * * *'], timezone: 'Europe/Berlin' }),
      null,
      { ...scheduled('on demand', {}), schedule: null },
    ],
    NOW,
    3,
  );
  assert.deepEqual(
    runs.map(({ name, atMs }) => [name, atMs]),
    [
      // 10:30 in Berlin is 9:30 UTC in November.
      ['berlin', at(24, 9, 30)],
      ['hourly', at(24, 10, 0)],
      ['hourly', at(24, 11, 0)],
    ],
  );
  assert.equal(runs[0]?.infra, 'lab');
});

test('schedules that make no runs now are counted, not shown as if they did', () => {
  const next = nextRuns(
    [
      scheduled('suspended', { isSuspended: true }),
      scheduled('new', { isBegun: false }),
      scheduled('newer', { isBegun: false, isSuspended: true }),
      scheduled('engine', { cron: [] }),
      scheduled('never', { cron: ['0 0 30 2 *'] }),
    ],
    NOW,
    5,
  );
  assert.deepEqual(next.runs, []);
  assert.deepEqual(silentWords(next), [
    'One schedule is suspended.',
    '2 schedules have not been started.',
    'One schedule is a ChaosSchedule, whose times its operator decides.',
  ]);
});
