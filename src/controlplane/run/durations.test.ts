import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationOf, type TimedRun } from './durations.ts';

const RUN: TimedRun = {
  ...{ project_id: 'p', experiment_id: 'e', infra_id: 'i', run_id: 'r', created_at: 1_000, removed: 0 },
  ...{ completed: 0, updated_at: 1_000 },
};
const ended = (seconds: number): TimedRun => ({ ...RUN, completed: 1, updated_at: 1_000 + seconds * 1000 });

for (const [seconds, le] of [
  [0, '30'],
  [30, '30'],
  [30.001, '60'],
  [7_200, '7200'],
  [7_201, '+Inf'],
] as const) {
  test(`a run of ${seconds} s is in the bucket ${le}`, () => {
    const { project_id, experiment_id, infra_id } = RUN;
    const row = { project_id, experiment_id, infra_id, le, runs: 1, seconds };
    assert.deepEqual(durationOf(RUN, ended(seconds)), row);
    assert.deepEqual(durationOf(undefined, ended(seconds)), row);
  });
}

for (const [what, before, after] of [
  ['goes on', RUN, RUN],
  ['was over before', ended(1), ended(2)],
  ['no agent has taken up', RUN, { ...ended(1), run_id: null }],
  ['is removed', RUN, { ...ended(1), removed: 1 as const }],
] as const) {
  test(`a run that ${what} is not counted`, () => assert.equal(durationOf(before, after), undefined));
}

test('a clock that was set back counts as no time', () => {
  assert.equal(durationOf(RUN, ended(-5))?.seconds, 0);
});
