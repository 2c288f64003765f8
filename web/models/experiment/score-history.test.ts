import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAtWork, lastTwo, type PastRun, scoreHistory, scoreLine } from './score-history.ts';

const run = (runSequence: number, state: string, score: number | null): PastRun => ({
  ...{ experimentRunID: `r${runSequence}`, notifyID: null, runSequence, outcome: { state, score } },
  createdAt: String(Date.UTC(2026, 10, 24, 18, runSequence)),
});
const RUNS = [
  run(4, 'running', null),
  run(3, 'passed', 90.5),
  null,
  run(2, 'failedByProbe', 40),
  run(1, 'passed', 100),
];

test('each run is described with its score and what has changed since the one before it', () => {
  assert.deepEqual(
    scoreHistory(RUNS, 'UTC').map(({ sentence }) => sentence),
    [
      'Run 1: Passed, score 100, 24 Nov 2026, 18:01:00 UTC',
      'Run 2: Failed by a probe, score 40 (60 worse than run 1), 24 Nov 2026, 18:02:00 UTC',
      'Run 3: Passed, score 90.5 (50.5 better than run 2), 24 Nov 2026, 18:03:00 UTC',
      'Run 4: Running, 24 Nov 2026, 18:04:00 UTC',
    ],
  );
});

test('the line leads through the scores that are known', () => {
  assert.equal(scoreLine(scoreHistory(RUNS)), '0.5,0 1.5,60 2.5,9.5');
});

test('the last two runs that are known are compared', () => {
  const queued = { ...run(5, 'queued', null), experimentRunID: '' };
  assert.deepEqual(
    lastTwo([queued, ...RUNS])?.map(({ runSequence }) => runSequence),
    [3, 4],
  );
  assert.equal(lastTwo([queued, run(1, 'passed', 100)]), undefined);
});

test('what is queued or running is at work', () => {
  assert.equal(isAtWork(RUNS), true);
  assert.equal(isAtWork([run(1, 'queued', null)]), true);
  assert.equal(isAtWork([run(3, 'stopped', null), null]), false);
});
