import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRow } from '../store/tables/runs.ts';
import { noticesOf, type RunVerdict, verdictOf } from './notices.ts';
import { runRow } from './testing/rows.ts';

const VERDICTS: readonly [run: Partial<RunRow>, verdict: RunVerdict][] = [
  [{ phase: 'Completed', faults_passed: 1 }, 'Pass'],
  [{ phase: 'Completed', faults_passed: 1, faults_failed: 1 }, 'Fail'],
  [{ phase: 'Completed' }, 'Pass'],
  [{ phase: 'Completed_With_Probe_Failure', faults_passed: 1 }, 'Fail'],
  [{ phase: 'Completed_With_Error' }, 'Error'],
  [{ phase: 'Error', faults_passed: 1 }, 'Error'],
  [{ phase: 'Stopped', faults_passed: 1 }, 'Stopped'],
  [{ phase: 'Timeout', problem: 'no agent took it up' }, 'Error'],
  [{ phase: 'Completed', outcome: JSON.stringify({ word: 'Failed', by: 'run' }) }, 'Fail'],
];

for (const [run, verdict] of VERDICTS) {
  test(`the verdict of ${JSON.stringify(run)} is ${verdict}`, () => {
    assert.equal(verdictOf(runRow({ completed: 1, ...run })), verdict);
  });
}

const passed = runRow({
  completed: 1,
  phase: 'Completed',
  faults_passed: 1,
  score: 100,
  sequence: 7,
  run_id: 'uid',
});
const failed = runRow({ completed: 1, phase: 'Completed', faults_failed: 1, sequence: 6 });

test('webhooks get the end of a run, and a verdict that differs from the one before', () => {
  const summaries = (previous: RunRow | undefined): string[] =>
    noticesOf('shop', passed, previous).map(({ event, summary }) => `${event}: ${summary}`);
  const ended = 'RUN_ENDED: Run 7 of shop ended: Passed, score 100';
  assert.deepEqual(summaries(undefined), [ended]);
  assert.deepEqual(summaries(passed), [ended]);
  assert.deepEqual(summaries(failed), [
    ended,
    'VERDICT_CHANGED: Run 7 of shop ended with Pass, and the one before it with Fail',
  ]);
});

test('the notice of a run that never began has the reason, for people and for programs', () => {
  const [ended] = noticesOf(
    'shop',
    runRow({ completed: 1, phase: 'Error', sequence: 7, problem: 'no rights' }),
    undefined,
  );
  assert.equal(ended?.summary, 'Run 7 of shop ended: Could not run: no rights');
  assert.deepEqual(
    Object.entries(ended?.details ?? {}).find(([key]) => key === 'problem'),
    ['problem', 'no rights'],
  );
});

test('the notice has the ids of the run, for programs', () => {
  const [, changed] = noticesOf('shop', passed, failed);
  assert.deepEqual(changed?.details, {
    experimentID: 'e',
    experimentName: 'shop',
    experimentRunID: 'uid',
    runSequence: 7,
    phase: 'Completed',
    verdict: 'Pass',
    outcome: 'Passed',
    previousVerdict: 'Fail',
    resiliencyScore: 100,
  });
});

test('the notice of a run without a score has none, and says why the run ended as it did', () => {
  const outcome = {
    word: 'Failed',
    by: 'run',
    isScored: false,
    exitCode: 1,
    reason: 'smoke-test ended with exit code 3',
  };
  const run = runRow({
    completed: 1,
    phase: 'Error',
    score: 100,
    sequence: 7,
    outcome: JSON.stringify(outcome),
  });
  const [ended] = noticesOf('shop', run, undefined);
  assert.equal(ended?.summary, 'Run 7 of shop ended: Failed: smoke-test ended with exit code 3');
  const details: Readonly<Record<string, unknown>> = { ...ended?.details };
  const { verdict, reason, resiliencyScore } = details;
  assert.deepEqual([verdict, reason, resiliencyScore], ['Fail', 'smoke-test ended with exit code 3', null]);
});
