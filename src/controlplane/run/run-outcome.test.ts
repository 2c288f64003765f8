import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRow } from '../store/tables/runs.ts';
import { outcomeAnswer, scoreOfRow } from './run-outcome.ts';
import { runRow } from './testing/rows.ts';

const STORED = JSON.stringify({ word: 'Failed', reason: 'x', by: 'run', isScored: false, exitCode: 1 });

const ROWS: readonly (readonly [
  run: Partial<RunRow>,
  outcome: string,
  score: number | null,
  code: number | null,
])[] = [
  [{ phase: 'Queued' }, 'Queued', null, null],
  [{ phase: 'Pending' }, 'Pending', null, null],
  [{ phase: 'Running' }, 'Running', null, null],
  [{ phase: 'Error', completed: 1, outcome: STORED }, 'Failed: x', null, 1],
  [{ phase: 'Timeout', completed: 1, problem: 'no agent' }, 'Could not run: no agent', null, 3],
  [{ phase: 'Stopped', completed: 1 }, 'Stopped', null, 130],
  // Runs that ended before outcomes were stored.
  [{ phase: 'Completed', completed: 1, faults_passed: 1 }, 'Passed', 75, 0],
  [{ phase: 'Completed', completed: 1, faults_passed: 1, faults_failed: 1 }, 'Failed', 75, 1],
  [{ phase: 'Completed', completed: 1 }, 'Passed', null, 0],
  [{ phase: 'Completed_With_Probe_Failure', completed: 1 }, 'Failed', 75, 1],
  [{ phase: 'Completed_With_Error', completed: 1 }, 'Error', null, 1],
  [{ phase: 'Error', completed: 1 }, 'Error', null, 3],
];

for (const [run, outcome, score, code] of ROWS) {
  test(`a run with ${JSON.stringify(run)}: ${outcome}`, () => {
    const row = runRow({ score: 75, ...run });
    const { word, reason, exitCode } = outcomeAnswer(row);
    assert.equal(reason === null ? word : `${word}: ${reason}`, outcome);
    assert.deepEqual([scoreOfRow(row), exitCode], [score, code]);
  });
}
