import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeStatus, ProbeVerdict } from '../../../api/index.ts';
import { NOT_EVALUATED, successPercentage } from '../../../chaos/close-result.ts';
import { asDryRun, type Ending, judge } from './verdict.ts';

const probe = (name: string, verdict: ProbeVerdict): ProbeStatus => ({
  name,
  type: 'httpProbe',
  mode: 'SOT',
  status: { verdict },
});
const [passed, failed, awaited] = [probe('p', 'Passed'), probe('f', 'Failed'), probe('a', 'Awaited')];
const output = { errorCode: 'GENERIC_ERROR', reason: '{}' };
const [completed, aborted, error]: Ending[] = [
  { kind: 'completed' },
  { kind: 'aborted' },
  { kind: 'error', errorOutput: output },
];

test('how a run is judged', async (t) => {
  const cases: [string, Ending | undefined, ProbeStatus[], boolean, string][] = [
    ['all well without probes', completed, [], false, 'Completed Pass 100 passedRuns'],
    ['all well', completed, [passed], false, 'Completed Pass 100 passedRuns'],
    [
      'a probe failed',
      completed,
      [passed, failed, passed],
      false,
      'Completed_With_Probe_Failure Fail 66 failedRuns',
    ],
    ['a probe that stops failed', completed, [passed, failed], true, 'Stopped Stopped 50 stoppedRuns'],
    ['an error', error, [passed, awaited], false, 'Error Error 0 -'],
    [
      'an error after a probe failed',
      error,
      [passed, failed],
      false,
      'Completed_With_Probe_Failure Fail 50 failedRuns',
    ],
    [
      'an error after a probe that stops failed',
      error,
      [failed, awaited],
      true,
      'Stopped Stopped 0 stoppedRuns',
    ],
    ['an abort without probes', aborted, [], false, 'Stopped Stopped 0 stoppedRuns'],
    ['an abort', aborted, [passed, awaited], false, 'Stopped Stopped 50 stoppedRuns'],
    [
      'an abort after a probe failed',
      aborted,
      [passed, failed],
      false,
      'Completed_With_Probe_Failure Fail 50 failedRuns',
    ],
    ['an abort by a probe', aborted, [failed], true, 'Stopped Stopped 0 stoppedRuns'],
  ];
  for (const [name, ending, probes, stops, expected] of cases) {
    await t.test(name, () => {
      assert.ok(ending !== undefined);
      const { phase, verdict, probeSuccessPercentage, counter } = judge(
        ending,
        probes,
        new Set(stops ? ['f'] : []),
      );
      assert.equal([phase, verdict, probeSuccessPercentage, counter ?? '-'].join(' '), expected);
    });
  }
});

test('a dry run passes nothing and counts nowhere; what went wrong stays', async (t) => {
  const cases: [string, Ending | undefined, ProbeStatus[], string][] = [
    ['all well without probes', completed, [], 'Completed N/A 0'],
    ['all well', completed, [passed], 'Completed N/A 100'],
    ['a probe failed', completed, [passed, failed], 'Completed_With_Probe_Failure Fail 50'],
    ['an error', error, [], 'Error Error 0'],
    ['an abort', aborted, [], 'Stopped Stopped 0'],
  ];
  for (const [name, ending, probes, expected] of cases) {
    await t.test(name, () => {
      assert.ok(ending !== undefined);
      const judged = asDryRun(judge(ending, probes, new Set()));
      const { phase, verdict, probeSuccessPercentage, counter } = judged;
      assert.equal([phase, verdict, probeSuccessPercentage].join(' '), expected);
      assert.equal(counter, undefined);
    });
  }
});

test('only an error carries errorOutput, and only when no helper wrote its own', () => {
  const none = new Set<string>();
  assert.equal(error && judge(error, [], none).errorOutput, output);
  assert.equal(error && judge(error, [failed], none).errorOutput, undefined);
  assert.equal(aborted && judge(aborted, [], none).errorOutput, undefined);
  assert.equal(judge({ kind: 'error', errorOutput: undefined }, [], none).errorOutput, undefined);
});

test('probes that were never judged are closed unless the run passed', () => {
  const none = new Set<string>();
  const closed = { ...awaited, status: { verdict: 'N/A', description: NOT_EVALUATED } };
  assert.deepEqual(aborted && judge(aborted, [passed, awaited], none).probeStatuses, [passed, closed]);
  assert.deepEqual(error && judge(error, [awaited], none).probeStatuses, [closed]);
});

test('the percentage is rounded down', () => {
  assert.deepEqual([[], [passed], [failed], [passed, passed, awaited]].map(successPercentage), [
    '0',
    '100',
    '0',
    '66',
  ]);
});
