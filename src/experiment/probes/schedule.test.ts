import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBE_MODES, type ProbeMode, type ProbeVerdict } from '../../api/schema/vocabulary.ts';
import { actionIn, isBackground, type JudgedRun, type ProbePhase, verdictAfter } from './schedule.ts';

const PHASES: readonly ProbePhase[] = ['PreChaos', 'DuringChaos', 'PostChaos'];

test('which mode acts when', () => {
  const table = PROBE_MODES.map((mode) =>
    [mode, ...PHASES.map((phase) => actionIn(phase, mode) ?? '-')].join(' '),
  );
  assert.deepEqual(table, [
    'SOT once - -',
    'EOT - - once',
    'Edge once - once',
    'Continuous start - evaluate',
    'OnChaos - start evaluate',
  ]);
  assert.deepEqual(PROBE_MODES.filter(isBackground), ['Continuous', 'OnChaos']);
});

test('when verdicts fall', () => {
  type Row = readonly [ProbeMode, ProbePhase, JudgedRun['outcome'], ProbeVerdict, boolean, ProbeVerdict];
  const table: readonly Row[] = [
    ['SOT', 'PreChaos', 'passed', 'Awaited', false, 'Passed'],
    ['SOT', 'PreChaos', 'failure', 'Awaited', false, 'Failed'],
    ['SOT', 'PreChaos', 'error', 'Awaited', false, 'N/A'],
    ['EOT', 'PostChaos', 'passed', 'Awaited', false, 'Passed'],
    ['EOT', 'PostChaos', 'failure', 'Awaited', false, 'Failed'],
    ['Edge', 'PreChaos', 'passed', 'Awaited', false, 'Awaited'],
    ['Edge', 'PreChaos', 'failure', 'Awaited', false, 'Failed'],
    ['Edge', 'PostChaos', 'passed', 'Awaited', false, 'Passed'],
    ['Edge', 'PostChaos', 'failure', 'Awaited', false, 'Failed'],
    ['Edge', 'PostChaos', 'passed', 'Failed', false, 'Failed'],
    ['Edge', 'PostChaos', 'error', 'Failed', false, 'Failed'],
    ['Continuous', 'PreChaos', 'passed', 'Awaited', false, 'Awaited'],
    ['Continuous', 'PreChaos', 'failure', 'Awaited', false, 'Failed'],
    ['Continuous', 'PostChaos', 'passed', 'Awaited', true, 'Passed'],
    ['Continuous', 'PreChaos', 'error', 'Awaited', false, 'Awaited'],
    ['Continuous', 'PostChaos', 'error', 'Awaited', true, 'N/A'],
    ['OnChaos', 'DuringChaos', 'passed', 'Awaited', false, 'Awaited'],
    ['OnChaos', 'PostChaos', 'passed', 'Awaited', true, 'Passed'],
    ['OnChaos', 'PostChaos', 'passed', 'Failed', true, 'Failed'],
    ['OnChaos', 'PostChaos', 'unmeasured', 'Awaited', true, 'N/A'],
    ['OnChaos', 'PostChaos', 'unmeasured', 'Failed', true, 'Failed'],
  ];
  for (const [mode, phase, outcome, before, final, expected] of table) {
    assert.equal(
      verdictAfter({ mode, phase, outcome, before, final }),
      expected,
      [mode, phase, outcome, before].join(' '),
    );
  }
});
