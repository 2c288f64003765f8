import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineExperimentStatus, EngineVerdict } from '../api/index.ts';
import { verdictOfEngine } from './engine-verdict.ts';

const entries = (...verdicts: EngineVerdict[]): EngineExperimentStatus[] =>
  verdicts.map((verdict, index) => ({
    name: `e${index}`,
    runner: '',
    experimentPod: '',
    status: 'Completed',
    verdict,
  }));

const TABLE: readonly [EngineVerdict[], EngineVerdict | undefined][] = [
  [[], undefined],
  [['Pass'], 'Pass'],
  [['Pass', 'Fail'], 'Fail'],
  [['Fail', 'Error', 'Pass'], 'Error'],
  [['Pass', 'Stopped'], 'Stopped'],
  [['Pass', 'Awaited'], 'Awaited'],
  [['Pass', 'N/A'], 'N/A'],
];
for (const [verdicts, expected] of TABLE) {
  test(`${verdicts.join(', ') || 'nothing'} makes ${expected}`, () =>
    assert.equal(verdictOfEngine(entries(...verdicts)), expected));
}
