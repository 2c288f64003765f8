import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executionText } from '../../controlplane/run/testing/execution.ts';
import { renderRows } from './print-rows.ts';
import { outcomeOfRun } from './remote-outcome.ts';

const ENGINE = { engineName: 'pod-deleteabcde', probeSuccessPercentage: '75' };
const FAULTS = [{ faultName: 'pod-delete' }];
const over = (verdict: string, phase = 'Completed', ofNode = 'Completed'): string =>
  executionText([{ ...ENGINE, experimentVerdict: verdict, phase: ofNode }], { phase, finishedAt: '9' });
const message = (text: string): string => JSON.stringify({ name: 'shop-1', message: text, nodes: {} });

/** Of ChaosCenter, which knows no outcome. */
const CASES: readonly (readonly [
  name: string,
  phase: string,
  executionData: string,
  outcome: string,
  score: number | null,
  code: number | null,
])[] = [
  ['queued', 'Queued', message('').replace('{', '{"phase":"Queued",'), 'Queued', null, null],
  ['running', 'Running', executionText([]), 'Running', null, null],
  ['completed, and passed', 'Completed', over('Pass'), 'Passed', 75, 0],
  [
    'completed, with a failed probe',
    'Completed_With_Probe_Failure',
    over('Fail', 'Completed_With_Probe_Failure', 'Completed_With_Probe_Failure'),
    'Failed: pod-deleteabcde: failed',
    75,
    1,
  ],
  [
    'completed, with a failed root',
    'Completed',
    over('Pass').replace(
      '"shop-1":{"name":"shop-1","phase":"Completed"',
      '"shop-1":{"name":"shop-1","phase":"Failed"',
    ),
    'Failed: the workflow failed without a reason; the application held through the chaos',
    null,
    1,
  ],
  [
    'completed, without a node',
    'Completed',
    message('invalid spec: x'),
    'Could not run: the workflow was refused: x',
    null,
    3,
  ],
  [
    'completed, without its engine',
    'Completed',
    executionText([], { phase: 'Completed', finishedAt: '9' }),
    'Could not run: the chaos of pod-delete never began, so there is no verdict',
    null,
    3,
  ],
  ['stopped', 'Stopped', over('Stopped', 'Stopped', 'Stopped'), 'Stopped', null, 130],
  ['given up before it began', 'Timeout', message('no agent'), 'Could not run: no agent', null, 3],
  ['refused by the cluster', 'Error', message('forbidden'), 'Could not run: forbidden', null, 3],
  [
    'completed, with a report that is none',
    'Completed',
    '[',
    'Error: the report of its agent cannot be read',
    null,
    3,
  ],
];
for (const [name, phase, executionData, outcome, score, code] of CASES) {
  test(`a run that is ${name}: ${outcome}`, () => {
    const found = outcomeOfRun({ phase, executionData, resiliencyScore: 75, weightages: FAULTS });
    const sentence = found.reason === null ? found.word : `${found.word}: ${found.reason}`;
    assert.deepEqual([sentence, found.score, found.exitCode], [outcome, score, code]);
  });
}

test('the outcome that a server knows is taken as it is', () => {
  const outcome = { word: 'Failed', reason: 'x', score: null, exitCode: 1 } as const;
  const run = { phase: 'Completed', executionData: over('Pass'), resiliencyScore: 75, weightages: FAULTS };
  assert.deepEqual(outcomeOfRun({ ...run, outcome }), outcome);
});

test('a table keeps to its lines, whatever names hold', () => {
  const columns = [
    ['NAME', ({ name }: Record<string, unknown>) => name],
    ['N', ({ n }: Record<string, unknown>) => n],
  ] as const;
  assert.equal(
    renderRows([{ name: 'a\n\u001b[31mb', n: 0 }, { name: 'c' }], columns, 'table'),
    'NAME      N\na [31mb   0\nc',
  );
  assert.equal(renderRows([{ name: 'a' }], columns, 'json'), '[\n  {\n    "name": "a"\n  }\n]');
  assert.equal(renderRows([{ name: 'a' }], columns, 'yaml'), '- name: a');
});
