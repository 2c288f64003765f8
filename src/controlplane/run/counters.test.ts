import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CounterChange, counterChange } from './counters.ts';
import { runRow } from './testing/rows.ts';

const running = runRow({ phase: 'Running' });
const ended = runRow({ phase: 'Completed', completed: 1, faults_passed: 1, score: 75 });
const one = (phase: string, runs: number): CounterChange['phases'][number] => ({ phase, runs });

const CASES: readonly [
  name: string,
  before: ReturnType<typeof runRow> | undefined,
  after: ReturnType<typeof runRow>,
  expected: CounterChange,
][] = [
  ['a new run', undefined, running, { phases: [one('Running', 1)], scored: 0, score: 0 }],
  ['a new run that is over', undefined, ended, { phases: [one('Completed', 1)], scored: 1, score: 75 }],
  ['a run that goes on', running, running, { phases: [], scored: 0, score: 0 }],
  [
    'a run that ends',
    running,
    ended,
    { phases: [one('Running', -1), one('Completed', 1)], scored: 1, score: 75 },
  ],
  ['a score that comes after the end', ended, { ...ended, score: 80 }, { phases: [], scored: 0, score: 5 }],
  [
    'a run that is deleted',
    ended,
    { ...ended, removed: 1 },
    { phases: [one('Completed', -1)], scored: -1, score: -75 },
  ],
  [
    'a run that lives on',
    ended,
    running,
    { phases: [one('Completed', -1), one('Running', 1)], scored: -1, score: -75 },
  ],
];

for (const [name, before, after, expected] of CASES) {
  test(`counts ${name}`, () => {
    assert.deepEqual(counterChange(before, after), expected);
  });
}

test('what is counted in any order of changes is what there is at the end', () => {
  const states = [undefined, running, ended, { ...ended, score: 50 }, running, { ...ended, score: 10 }];
  let [scored, score] = [0, 0];
  const phases = new Map<string, number>();
  for (const [index, after] of states.entries()) {
    if (after === undefined) continue;
    const change = counterChange(states[index - 1], after);
    scored += change.scored;
    score += change.score;
    for (const { phase, runs } of change.phases) phases.set(phase, (phases.get(phase) ?? 0) + runs);
  }
  assert.deepEqual([scored, score, Object.fromEntries(phases)], [1, 10, { Running: 0, Completed: 1 }]);
});
