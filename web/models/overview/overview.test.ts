import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeWords, type RecentExperiment, runSentence, strips } from './overview.ts';

const run = (runSequence: number, state: string, score: number | null) => ({
  ...{ experimentRunID: `r${runSequence}`, runSequence, outcome: { state, score } },
});

function experiment(name: string, ...newestFirst: ReturnType<typeof run>[]): RecentExperiment {
  return { experimentID: name, name, recentExperimentRunDetails: newestFirst };
}

test('what got worse comes first, then what is bad; what was never run is not there', () => {
  const all = strips([
    experiment('good', run(2, 'passed', 100), run(1, 'passed', 100)),
    experiment('better', run(2, 'passed', 100), run(1, 'failedByProbe', 0)),
    experiment('bad', run(1, 'failedByProbe', 20)),
    experiment('new'),
    experiment('refused', run(1, 'cannotStart', null)),
    experiment('unjudged', run(1, 'unchecked', null)),
    experiment('worse', run(3, 'running', null), run(2, 'failedByProbe', 40), run(1, 'passed', 90)),
  ]);
  assert.deepEqual(
    all.map(({ name, change }) => [name, change]),
    [
      ['worse', -50],
      ['refused', 0],
      ['bad', 0],
      ['good', 0],
      ['unjudged', 0],
      ['better', 100],
    ],
  );
  assert.deepEqual(
    all[0]?.runs.map(({ runSequence }) => runSequence),
    [1, 2, 3],
  );
});

test('words of a run and of a change', () => {
  assert.equal(runSentence('shop', run(3, 'passed', 90)), 'Run 3 of shop: Passed, score 90');
  assert.equal(runSentence('shop', run(4, 'running', null)), 'Run 4 of shop: Running');
  assert.deepEqual(
    [changeWords(-50), changeWords(0), changeWords(3)],
    ['50 worse than before', '', '3 better than before'],
  );
});
