import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agoWords, durationWords } from './duration.ts';
import { scoreWords } from './score.ts';
import { stateWords } from './verdict.ts';

const DURATIONS: readonly [ms: number, words: string][] = [
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [12_540, '12.5 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [11_040_000, '3 h 4 min'],
  [90_000_000, '1 d 1 h'],
];
for (const [ms, words] of DURATIONS)
  test(`${ms} ms is ${words}`, () => assert.equal(durationWords(ms), words));

const AGO: readonly [ms: number, words: string][] = [
  [0, 'just now'],
  [-3000, 'just now'],
  [12_000, '12 s ago'],
  [125_000, '2 min ago'],
  [7_300_000, '2 h ago'],
  [200_000_000, '2 d ago'],
];
for (const [ms, words] of AGO) test(`${ms} ms back is ${words}`, () => assert.equal(agoWords(0, ms), words));

const SCORES: readonly [score: number | null, words: string][] = [
  [0, '0'],
  [87.5, '87.5'],
  [null, '–'],
];
for (const [score, words] of SCORES)
  test(`the score ${score} is ${words}`, () => assert.equal(scoreWords(score), words));

const STATES: readonly [state: string, words: string, tone: string, shape: string][] = [
  ['Pass', 'Pass', 'good', 'check'],
  ['Completed_With_Probe_Failure', 'Completed, probes failed', 'bad', 'cross'],
  ['Error', 'Error', 'bad', 'triangle'],
  ['Could not run', 'Could not run', 'bad', 'triangle'],
  ['Failed', 'Failed', 'bad', 'cross'],
  ['Passed', 'Passed', 'good', 'check'],
  ['Stopped', 'Stopped', 'warning', 'square'],
  ['Running', 'Running', 'quiet', 'play'],
  ['initialized', 'Running', 'quiet', 'play'],
  ['chaos', 'Chaos in force', 'active', 'play'],
  ['unchecked', 'Nothing was checked', 'quiet', 'dash'],
  ['failedByStep', 'Failed by a step', 'bad', 'cross'],
  ['completed', 'Completed', 'quiet', 'dash'],
  ['stopped', 'Stopped', 'warning', 'square'],
  ['NA', 'N/A', 'quiet', 'dash'],
  ['', 'Pending', 'quiet', 'dash'],
  ['Something new', 'Something new', 'quiet', 'dash'],
];
for (const [state, word, tone, shape] of STATES) {
  test(`state ${state} is shown as ${word}`, () =>
    assert.deepEqual(stateWords(state), { word, tone, shape }));
}
