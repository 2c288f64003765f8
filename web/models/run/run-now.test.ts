import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunCourse } from '../../../src/services/report/course/model.ts';
import { type KnownRun, runNow } from './run-now.ts';

const COURSE: RunCourse = { aim: 'web', isStopping: false, experiments: [] };
const BEGUN: RunCourse = {
  ...COURSE,
  experiments: [
    {
      fault: 'pod-delete',
      startMs: 0,
      chaosMs: 1_000,
      chaosSeconds: 15,
      hits: [],
      workloads: [],
      probes: [],
    },
  ],
};
const problem = { reason: 'Forbidden', message: 'no' };

const TABLE: readonly [what: string, run: KnownRun, words: string, chaos: string][] = [
  ['queued', { course: COURSE, state: 'queued', isRunning: true }, 'Queued', 'not in force yet'],
  ['not taken up', { course: COURSE, state: 'pending', isRunning: true }, 'Pending', 'not in force yet'],
  ['starting', { course: COURSE, state: 'running', isRunning: true }, 'Starting', 'not in force yet'],
  [
    'not taken up for a reason',
    { course: { ...COURSE, problem }, state: 'pending', isRunning: true },
    'Cannot start',
    'not in force yet',
  ],
  ['in chaos', { course: BEGUN, state: 'running', isRunning: true }, 'Chaos in force, 7 of 15 s', 'in force'],
  [
    'in chaos before the server has heard of it',
    { course: BEGUN, state: 'queued', isRunning: true },
    'Chaos in force, 7 of 15 s',
    'in force',
  ],
  ['over', { course: BEGUN, state: 'passed', isRunning: false }, 'Passed', 'over'],
  [
    'of an agent that tells little',
    { course: undefined, state: 'running', isRunning: true },
    'Running',
    'not in force',
  ],
  ['refused', { course: undefined, state: 'refused', isRunning: false }, 'Refused', 'was never in force'],
];
for (const [what, run, words, chaos] of TABLE) {
  test(`the head of a run that is ${what}`, () => {
    const now = runNow(run, 8_500);
    assert.deepEqual([now.words, now.strip[0].answer], [words, chaos]);
    assert.deepEqual(
      now.strip.map(({ name }) => name),
      ['Chaos', 'Hit', 'Application'],
    );
  });
}
