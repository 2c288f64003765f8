import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../agent-link/answer.ts';
import { decideDelivery, decideRecord, type Verdict } from './decide-delivery.ts';

const said = (text: unknown): Answer => ({ type: 'delivered', data: { chaosExperimentRun: text } });
const refused = (...messages: string[]): Answer => ({ type: 'refused', messages });
const again = (afterMs?: number): Answer => ({
  type: 'again',
  why: 'away',
  ...(afterMs !== undefined && { afterMs }),
});

const TABLE: readonly (readonly [
  name: string,
  answer: Answer,
  failures: number,
  verdict: Verdict['type'],
  delayMs?: number,
])[] = [
  ['stored', said('Experiment run received for for ExperimentID: e, ExperimentRunID: r'), 1, 'taken'],
  ['a text of another server', said('ok'), 1, 'taken'],
  ['no text', said(null), 1, 'hold-run', 750],
  [
    'no such experiment',
    said('no experiment found with experimentID: e, experiment run discarded: r'),
    1,
    'discarded',
  ],
  [
    'complete already',
    refused('experiment run has been discarded due the duplicate event, workflowId: e, workflowRunId: r'),
    1,
    'discarded',
  ],
  ['an error, first', refused('cannot decode'), 1, 'hold-run', 750],
  ['an error, tenth', refused('cannot decode'), 10, 'hold-run', 225_000],
  ['the key', refused('ERROR:  accessID MISMATCH'), 1, 'hold-all', 3_750],
  ['the version', refused('ERROR: infra VERSION MISMATCH (need 4.x.x got 3.0.0)'), 2, 'hold-all', 7_500],
  ['away, first', again(), 1, 'hold-all', 375],
  ['away, for long', again(), 50, 'hold-all', 22_500],
  ['asked to wait', again(60_000), 1, 'hold-all', 60_000],
];

for (const [name, answer, failures, type, delayMs] of TABLE) {
  test(`${name}: ${type}`, () => {
    const verdict = decideDelivery(answer, { ofRun: failures, ofServer: failures }, 0.5);
    assert.equal(verdict.type, type);
    assert.equal('delayMs' in verdict ? verdict.delayMs : undefined, delayMs);
  });
}

test('an agent that is refused is held longer from time to time, whatever run it was asked for', () => {
  const refusal = refused('ERROR:  accessID MISMATCH');
  const delays = [1, 2, 3, 10].map((ofServer) => {
    const verdict = decideDelivery(refusal, { ofRun: 1, ofServer }, 0.5);
    assert.ok(verdict.type === 'hold-all' && verdict.isAgentRefused);
    return verdict.delayMs;
  });
  assert.deepEqual(delays, [3_750, 7_500, 15_000, 225_000]);
});

const record = (outcome: unknown): Answer => ({ type: 'delivered', data: { runRecord: outcome } });

for (const [name, answer, failures, type, isIncomplete] of [
  ['taken', record('TAKEN'), 1, 'taken', false],
  ['less than was thought', record('INCOMPLETE'), 1, 'discarded', true],
  ['a run that is not known yet', record('UNKNOWN_RUN'), 1, 'hold-run', false],
  ['a run that will never be known', record('UNKNOWN_RUN'), 8, 'discarded', false],
  ['a word of another server', record('WELL'), 1, 'discarded', false],
  ['a server without such an operation', refused('Cannot query field "runRecord"'), 1, 'discarded', false],
  ['the key', refused('ERROR:  accessID MISMATCH'), 1, 'hold-all', false],
  ['away', again(), 1, 'hold-all', false],
] as const) {
  test(`a record, ${name}: ${type}`, () => {
    const verdict = decideRecord(answer, { ofRun: failures, ofServer: failures }, 0.5);
    assert.equal(verdict.type, type);
    assert.equal(verdict.isIncomplete === true, isIncomplete);
  });
}
