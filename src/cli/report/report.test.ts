import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { buildEngineReport } from './build.ts';
import { toJUnit } from './junit.ts';
import { type EngineReport, type ExperimentReport, exitCodeOf } from './model.ts';
import { formatTimeline, mergeTimeline } from './timeline.ts';
import { formatVerdictTable } from './verdict-table.ts';

const entry = (time: string, step: string, runId?: string) => ({
  time: `2026-01-01T00:00:${time}Z`,
  actor: 'runner',
  step,
  message: `${step} happened`,
  ...(runId === undefined ? {} : { runId }),
});

function experimentReport(verdict: string, more: Partial<ExperimentReport> = {}): ExperimentReport {
  return { name: 'pod-delete', verdict, probes: [], targets: [], ...more };
}

function engineReport(experiments: readonly ExperimentReport[], reason?: string): EngineReport {
  return {
    namespace: 'default',
    name: 'web',
    status: 'completed',
    experiments,
    timeline: [],
    ...(reason === undefined ? {} : { reason }),
  };
}

describe('exitCodeOf', () => {
  const TABLE: readonly {
    name: string;
    aborted?: boolean;
    engines: readonly EngineReport[];
    code: number;
  }[] = [
    { name: 'all Pass', engines: [engineReport([experimentReport('Pass')])], code: 0 },
    {
      name: 'one Fail',
      engines: [engineReport([experimentReport('Pass'), experimentReport('Fail')])],
      code: 1,
    },
    { name: 'an Error', engines: [engineReport([experimentReport('Error')])], code: 1 },
    { name: 'no experiment at all', engines: [engineReport([])], code: 1 },
    { name: 'it could not run', engines: [engineReport([experimentReport('N/A')], 'no node')], code: 3 },
    {
      name: 'it ended badly after a verdict',
      engines: [engineReport([experimentReport('Fail')], 'x')],
      code: 1,
    },
    { name: 'aborted', aborted: true, engines: [engineReport([experimentReport('Stopped')])], code: 130 },
  ];
  for (const { name, aborted = false, engines, code } of TABLE) {
    it(`is ${code}: ${name}`, () => assert.equal(exitCodeOf({ aborted, engines }), code));
  }
});

describe('mergeTimeline', () => {
  it('orders by time, keeps cause before effect, and leaves other runs out', () => {
    const engine = {
      metadata: { name: 'web' },
      status: { timeline: [entry('01', 'old', 'run-1'), entry('05', 'engine', 'run-2')] },
    } as unknown as ChaosEngine;
    const result = {
      metadata: { name: 'web-pod-delete' },
      status: { timeline: [entry('05', 'result', 'run-2'), entry('02', 'early', 'run-2')] },
    } as unknown as ChaosResult;
    const steps = mergeTimeline(engine, [result], 'run-2').map(({ step }) => step);
    assert.deepEqual(steps, ['early', 'engine', 'result']);
    assert.equal(mergeTimeline(engine, [result]).length, 4);
  });

  it('is printed relative to its first step', () => {
    const lines = formatTimeline([entry('01', 'A'), entry('03.5', 'Longer')]);
    assert.deepEqual(lines, [
      '  +0.000s  runner  A       A happened',
      '  +2.500s  runner  Longer  Longer happened',
    ]);
  });
});

describe('toJUnit', () => {
  it('escapes what XML cannot carry and maps verdicts', () => {
    const xml = toJUnit({
      turnsole: '0',
      startedAt: '2026-01-01T00:00:00Z',
      endedAt: '2026-01-01T00:00:02Z',
      aborted: false,
      engines: [
        engineReport([
          experimentReport('Fail', { reason: 'a < "b" & \u0000c' }),
          experimentReport('Error'),
          experimentReport('N/A'),
        ]),
      ],
    });
    assert.match(
      xml,
      /<testsuites name="turnsole" tests="3" failures="1" errors="1" skipped="1" time="2\.000">/,
    );
    assert.match(xml, /<failure message="a &lt; &quot;b&quot; &amp; c"\/>/);
    assert.match(xml, /<error message="verdict Error"\/>/);
    assert.match(xml, /<skipped message="verdict N\/A"\/>/);
  });
});

describe('formatVerdictTable', () => {
  it('shows one line per experiment and why it did not pass', () => {
    const probe = { name: 'p', type: 'httpProbe', mode: 'EOT', verdict: 'Failed', description: 'saw 500' };
    const engine = engineReport([
      experimentReport('Pass', { targets: [{ kind: 'deployment', name: 'web', status: 'targeted' }] }),
      experimentReport('Fail', { probes: [probe] }),
    ]);
    assert.deepEqual(
      formatVerdictTable([engine], (_style, text) => text),
      [
        'ENGINE       EXPERIMENT  VERDICT  PROBES  TOOK  TARGETS',
        'default/web  pod-delete  Pass     -       -     deployment/web targeted',
        'default/web  pod-delete  Fail     0/1     -     -',
        '  └ probe p: saw 500',
      ],
    );
  });
});

describe('buildEngineReport', () => {
  it("takes the result's word, and the engine's where there is no result", () => {
    const engine = {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { experiments: [{ name: 'a' }, { name: 'b' }] },
      status: {
        engineStatus: 'completed',
        experiments: [
          { name: 'a', runner: '', experimentPod: '', status: 'Completed', verdict: 'Awaited' },
          { name: 'b', runner: '', experimentPod: '', status: 'ChaosExperiment Not Found', verdict: 'Fail' },
        ],
      },
    } as unknown as ChaosEngine;
    const reason = JSON.stringify({ errorCode: 'TARGET_SELECTION_ERROR', reason: 'no pods', target: '{x}' });
    const result = {
      metadata: { name: 'web-a' },
      spec: { experiment: 'a' },
      status: {
        experimentStatus: {
          phase: 'Error',
          verdict: 'Error',
          errorOutput: { errorCode: 'TARGET_SELECTION_ERROR', reason },
        },
      },
    } as unknown as ChaosResult;
    const report = buildEngineReport({ engine, results: [result] });
    assert.deepEqual(
      report.experiments.map(({ name, verdict, reason: why }) => ({ name, verdict, why })),
      [
        { name: 'a', verdict: 'Error', why: 'TARGET_SELECTION_ERROR: no pods ({x})' },
        { name: 'b', verdict: 'Fail', why: 'ChaosExperiment Not Found' },
      ],
    );
  });
});
