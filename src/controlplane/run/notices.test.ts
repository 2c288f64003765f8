import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRow } from '../store/tables/runs.ts';
import { noticesOf, type RunVerdict, verdictOf } from './notices.ts';
import { runRow } from './testing/rows.ts';

const VERDICTS: readonly [run: Partial<RunRow>, verdict: RunVerdict][] = [
  [{ phase: 'Completed', faults_passed: 1 }, 'Pass'],
  [{ phase: 'Completed', faults_passed: 1, faults_failed: 1 }, 'Fail'],
  [{ phase: 'Completed' }, 'N/A'],
  [{ phase: 'Completed_With_Probe_Failure', faults_passed: 1 }, 'Fail'],
  [{ phase: 'Completed_With_Error' }, 'Error'],
  [{ phase: 'Error', faults_passed: 1 }, 'Error'],
  [{ phase: 'Stopped', faults_passed: 1 }, 'Stopped'],
  [{ phase: 'Timeout' }, 'N/A'],
];

for (const [run, verdict] of VERDICTS) {
  test(`the verdict of ${JSON.stringify(run)} is ${verdict}`, () => {
    assert.equal(verdictOf(runRow(run)), verdict);
  });
}

const passed = runRow({ phase: 'Completed', faults_passed: 1, score: 100, sequence: 7, run_id: 'uid' });
const failed = runRow({ phase: 'Completed', faults_failed: 1, sequence: 6 });

test('webhooks get the end of a run, and a verdict that differs from the one before', () => {
  const summaries = (previous: RunRow | undefined): string[] =>
    noticesOf('shop', passed, previous).map(({ event, summary }) => `${event}: ${summary}`);
  const ended = 'RUN_ENDED: Run 7 of shop ended: Pass, score 100';
  assert.deepEqual(summaries(undefined), [ended]);
  assert.deepEqual(summaries(passed), [ended]);
  assert.deepEqual(summaries(failed), [
    ended,
    'VERDICT_CHANGED: Run 7 of shop ended with Pass, and the one before it with Fail',
  ]);
});

test('the notice of a run that never began has the reason, for people and for programs', () => {
  const [ended] = noticesOf('shop', runRow({ phase: 'Error', sequence: 7, problem: 'no rights' }), undefined);
  assert.equal(ended?.summary, 'Run 7 of shop ended: Error, score 0: no rights');
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
    previousVerdict: 'Fail',
    resiliencyScore: 100,
  });
});
