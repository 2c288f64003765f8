import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGINE_VERDICTS, EXPERIMENT_STATUSES } from './schema/vocabulary.ts';
import { isFinalExperimentStatus, isFinalVerdict, overallVerdict } from './verdict.ts';

describe('verdicts', () => {
  it('are final except Awaited and N/A', () => {
    assert.deepEqual(ENGINE_VERDICTS.filter(isFinalVerdict), ['Pass', 'Fail', 'Stopped', 'Error']);
    assert.equal(isFinalVerdict(undefined), false);
  });

  it('of experiments that have ended', () => {
    assert.deepEqual(
      EXPERIMENT_STATUSES.filter((status) => !isFinalExperimentStatus(status)),
      ['Waiting for Job Creation', 'Running'],
    );
  });

  const overall: readonly [verdicts: readonly string[], expected: string][] = [
    [[], 'N/A'],
    [['Pass', 'Pass'], 'Pass'],
    [['Pass', 'Fail', 'Stopped'], 'Fail'],
    [['Fail', 'Error'], 'Error'],
    [['Pass', 'Stopped'], 'Stopped'],
    [['Pass', 'Awaited'], 'Awaited'],
    [['Pass', 'N/A'], 'N/A'],
    [['Pass', ''], 'N/A'],
  ];
  for (const [verdicts, expected] of overall) {
    it(`[${verdicts.join(', ')}] is ${expected}`, () => assert.equal(overallVerdict(verdicts), expected));
  }
});
