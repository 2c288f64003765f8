import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentCourse, RunCourse } from '../../../src/services/report/course/model.ts';
import { plannedEnd } from './planned-end.ts';

const experiment = (changes: Partial<ExperimentCourse>): RunCourse => ({
  ...{ aim: '', isStopping: false },
  experiments: [{ fault: 'f', startMs: 2_000, hits: [], workloads: [], probes: [], ...changes }],
});

const TABLE: readonly [what: string, course: RunCourse | undefined, nowMs: number, endMs: number][] = [
  ['nothing is known', undefined, 0, 20_000],
  ['chaos of 15 s is planned', experiment({ chaosSeconds: 15 }), 3_000, 25_000],
  ['chaos of 15 s has begun', experiment({ chaosSeconds: 15, chaosMs: 3_500 }), 9_000, 25_000],
  ['the application took its time', experiment({ chaosSeconds: 15, chaosMs: 60_000 }), 61_000, 90_000],
  ['it takes longer than planned', experiment({ chaosSeconds: 15, chaosMs: 3_500 }), 31_000, 35_000],
  ['it has ended', experiment({ chaosSeconds: 150, chaosMs: 3_500, endMs: 18_000 }), 18_000, 20_000],
  ['an hour', experiment({ chaosSeconds: 3_600, chaosMs: 3_500 }), 18_000, 3_900_000],
];
for (const [what, course, nowMs, endMs] of TABLE)
  test(`the planned end of a run of which ${what}`, () => assert.equal(plannedEnd(course, 0, nowMs), endMs));

test('the axis of a run keeps its length from the begin of its experiment to its end', () => {
  const seen = new Set<number>();
  for (let nowMs = 2_000; nowMs < 22_000; nowMs += 500)
    seen.add(
      plannedEnd(experiment({ chaosSeconds: 15, ...(nowMs > 3_000 && { chaosMs: 3_000 }) }), 0, nowMs),
    );
  assert.deepEqual([...seen], [25_000]);
});
