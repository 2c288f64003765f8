import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRows } from './print-rows.ts';
import { exitCodeOf } from './run-verdict.ts';

const CASES: readonly (readonly [phase: string, passed: number, total: number, code: number | undefined])[] =
  [
    ['Queued', 0, 1, undefined],
    ['Running', 1, 1, undefined],
    ['Completed', 2, 2, 0],
    ['Completed', 1, 2, 1],
    ['Completed_With_Probe_Failure', 1, 2, 1],
    ['Completed_With_Error', 0, 2, 1],
    ['Stopped', 0, 2, 130],
    ['Error', 0, 2, 3],
    ['Timeout', 0, 2, 3],
    ['Terminated', 0, 2, 3],
  ];
for (const [phase, faultsPassed, totalFaults, code] of CASES) {
  test(`a run that is ${phase} with ${faultsPassed} of ${totalFaults} faults passed gives ${code}`, () => {
    const run = { experimentRunID: 'r', phase, resiliencyScore: null, faultsPassed, totalFaults };
    assert.equal(exitCodeOf(run), code);
  });
}

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
