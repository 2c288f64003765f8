import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeStatus, ProbeVerdict } from '../../../api/index.ts';
import { NOT_EVALUATED, successPercentage } from '../../../chaos/close-result.ts';
import type { Objection } from './objection.ts';
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

/** `CODE: reason` of each reason. */
function said(errorOutput: { readonly errorCode: string; readonly reason: string } | undefined): string {
  if (errorOutput === undefined) return '-';
  const { errorCode, reason } = errorOutput;
  const parsed: unknown = JSON.parse(reason);
  const reasons = [parsed].flat() as { readonly errorCode?: string; readonly reason?: string }[];
  assert.ok(reasons[0]?.errorCode === undefined || reasons[0].errorCode === errorCode);
  return reasons.map((one) => `${one.errorCode ?? errorCode}: ${one.reason ?? reason}`).join(' | ');
}

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

test('what an objection makes of a run', async (t) => {
  const fails: Objection = { code: 'NO_EFFECT', verdict: 'Fail', reason: 'no effect on pod a' };
  const errs: Objection = { code: 'EFFECT_UNKNOWN', verdict: 'Error', reason: 'not known of pod b' };
  const both = 'EFFECT_UNKNOWN: not known of pod b | NO_EFFECT: no effect on pod a';
  const fail = 'NO_EFFECT: no effect on pod a';
  const unknown = 'EFFECT_UNKNOWN: not known of pod b';
  const stops = [probe('stops', 'Failed')];
  type Row = [
    name: string,
    ending: Ending | undefined,
    probes: ProbeStatus[],
    objections: Objection[],
    string,
  ];
  const rows: Row[] = [
    ['none', completed, [passed], [], 'Completed Pass 100 passedRuns -'],
    ['one that fails', completed, [passed], [fails], `Completed Fail 100 failedRuns ${fail}`],
    ['one of error', completed, [passed], [errs], `Error Error 0 - ${unknown}`],
    ['both: the error decides, all are said', completed, [passed], [fails, errs], `Error Error 0 - ${both}`],
    ['failing, and no probes', completed, [], [fails], `Completed Fail 0 failedRuns ${fail}`],
    ['error, and no probes', completed, [], [errs], `Error Error 0 - ${unknown}`],
    [
      'a failed probe decides beside one that fails',
      completed,
      [passed, failed],
      [fails],
      `Completed_With_Probe_Failure Fail 50 failedRuns ${fail}`,
    ],
    [
      'a failed probe is no evidence beside an error',
      completed,
      [failed],
      [errs],
      `Error Error 0 - ${unknown}`,
    ],
    [
      'a probe that stops, beside one that fails',
      completed,
      stops,
      [fails],
      `Stopped Stopped 0 stoppedRuns ${fail}`,
    ],
    ['a probe that stops, beside an error', completed, stops, [errs], `Error Error 0 - ${unknown}`],
    [
      'a run that ended in an error has its own',
      error,
      [passed],
      [fails],
      'Error Error 0 - GENERIC_ERROR: {}',
    ],
    ['an error, a failed probe, an error objection', error, [failed], [errs], `Error Error 0 - ${unknown}`],
    ['an abort', aborted, [passed], [errs, fails], 'Stopped Stopped 100 stoppedRuns -'],
    [
      'an abort after a probe failed',
      aborted,
      [failed],
      [errs],
      'Completed_With_Probe_Failure Fail 0 failedRuns -',
    ],
    ['an abort by a probe', aborted, stops, [errs], 'Stopped Stopped 0 stoppedRuns -'],
  ];
  for (const [name, ending, probes, objections, expected] of rows) {
    await t.test(name, () => {
      assert.ok(ending !== undefined);
      const judged = judge(ending, probes, new Set(['stops']), objections);
      const { phase, verdict, probeSuccessPercentage, counter = '-' } = judged;
      assert.equal(
        [phase, verdict, probeSuccessPercentage, counter, said(judged.errorOutput)].join(' '),
        expected,
      );
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
