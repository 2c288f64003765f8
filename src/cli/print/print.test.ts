import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeSummary } from '../../api/schema/result.ts';
import type { EngineReport, ExperimentReport } from '../../services/report/model.ts';
import { closingLine } from './closing-line.ts';
import { formatTimeline } from './timeline.ts';
import { formatVerdictTable } from './verdict-table.ts';

function tableOf(
  experiments: readonly Partial<ExperimentReport>[],
  more: Partial<EngineReport> = {},
): string[] {
  const base = { name: 'pod-delete', verdict: 'Pass', probes: [], targets: [] };
  const engine: EngineReport = {
    namespace: 'default',
    name: 'web',
    status: 'completed',
    experiments: experiments.map((experiment) => ({ ...base, ...experiment })),
    timeline: [],
    ...more,
  };
  return formatVerdictTable([engine], (_style, text) => text);
}

test('the verdict table has one line per experiment, and why it did not pass', () => {
  const probe = { name: 'p', type: 'httpProbe', mode: 'EOT', verdict: 'Failed', description: 'saw 500' };
  const lines = tableOf([
    { targets: [{ kind: 'deployment', name: 'web', status: 'targeted' }] },
    { verdict: 'Fail', probes: [probe] },
  ]);
  assert.deepEqual(lines, [
    'ENGINE       EXPERIMENT  VERDICT  PROBES  TOOK  TARGETS',
    'default/web  pod-delete  Pass     -       -     deployment/web targeted',
    'default/web  pod-delete  Fail     0/1     -     -',
    '  └ probe p: saw 500',
  ]);
});

test('what the error says already is not said again, and an engine of a workflow has its step', () => {
  const probe = { name: 'p', type: 'httpProbe', mode: 'Edge', verdict: 'Failed', description: 'saw 500' };
  const lines = tableOf(
    [{ verdict: 'Error', reason: "not in steady state: probe 'p': saw 500", probes: [probe] }],
    {
      step: 'second',
    },
  );
  assert.deepEqual(lines.slice(1), [
    'default/web (second)  pod-delete  Error    0/1     -     -',
    "  └ not in steady state: probe 'p': saw 500",
  ]);
});

test('the verdict table says how bad it was, also where a probe has passed', () => {
  const summary: ProbeSummary = {
    measurements: 120,
    failed: 1,
    injected: '2026-01-01T00:00:00.000Z',
    before: { measurements: 20, failed: 0, p95Ms: 12 },
    during: { measurements: 80, failed: 1, failures: [{ kind: 'refused', count: 1 }], p95Ms: 2100 },
    after: { measurements: 20, failed: 0, p95Ms: 13 },
    firstFailure: { time: '2026-01-01T00:00:03.500Z', sinceInjectionMs: 3500 },
    lastFailure: { time: '2026-01-01T00:00:03.500Z', sinceInjectionMs: 3500 },
  };
  const users = { name: 'users', type: 'httpProbe', mode: 'Continuous', verdict: 'Passed', summary };
  assert.deepEqual(tableOf([{ probes: [users] }]).slice(2), [
    '  └ users: 1 of 100 requests failed during the fault, at +3.5 s (1 refused); p95 12 ms before, 2.1 s during, 13 ms after',
  ]);
});

test('the verdict table says that a dry run is none, and no pass', () => {
  const lines = tableOf([{ verdict: 'N/A', reason: 'dry run, nothing was injected' }], { dryRun: true });
  assert.deepEqual(lines.slice(1), [
    'default/web  pod-delete  N/A      -       -     -',
    '  └ dry run, nothing was injected',
    'default/web: dry run (spec.dryRun); nothing was injected, and N/A is no pass',
  ]);
});

test('the verdict table warns of targets without an effect, also where the verdict is Pass', () => {
  const effects = [
    { target: 'pod/shop/web-1/app', seen: false, message: 'nobody came' },
    { target: 'pod/shop/web-2/app', seen: true, message: '3 hits' },
  ];
  assert.deepEqual(tableOf([{ effects }]).slice(2), [
    '  └ warning: no effect on pod/shop/web-1/app: nobody came',
  ]);
  assert.deepEqual(tableOf([{ effectUnknown: ['pod shop/web-1'] }]).slice(2), [
    '  └ warning: whether there was an effect on pod shop/web-1 is not known',
  ]);
});

test('the verdict table says in one line that a machine could not keep up, and nothing of one that could', () => {
  const text = 'this machine was overloaded: load 53 on 2 cores';
  assert.deepEqual(tableOf([{ pressure: { processes: [], text } }]).slice(2), [`  └ warning: ${text}`]);
  assert.deepEqual(tableOf([{ pressure: { processes: [] } }]).slice(2), []);
});

test('a timeline is printed relative to its first step', () => {
  const entry = (time: string, step: string) => ({
    time: `2026-01-01T00:00:${time}Z`,
    actor: 'runner',
    step,
    message: `${step} happened`,
  });
  assert.deepEqual(formatTimeline([entry('01', 'A'), entry('03.5', 'Longer')]), [
    '  +0.000s  runner  A       A happened',
    '  +2.500s  runner  Longer  Longer happened',
  ]);
});

test('the last line says what decided where there are several rows, and what a pass has shown', () => {
  const row = { name: 'pod-delete', verdict: 'Pass', probes: [], targets: [] };
  const engine = (rows: number): EngineReport => ({
    ...{ namespace: 'default', name: 'web', status: 'completed', timeline: [] },
    experiments: Array.from({ length: rows }, () => row),
  });
  const failed = { word: 'Error', reason: 'no node', by: 'chaos', isScored: false, exitCode: 5 } as const;
  const passed = { word: 'Passed', by: 'chaos', isScored: true, exitCode: 0 } as const;
  const rows = [
    [failed, 1, undefined],
    [failed, 2, 'Error: no node'],
    [passed, 2, undefined],
    [{ ...passed, survival: 'web survived' }, 1, 'web survived'],
  ] as const;
  for (const [outcome, count, line] of rows)
    assert.equal(closingLine({ outcome, engines: [engine(count)] }), line);
});
