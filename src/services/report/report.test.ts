import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ChaosEngine,
  type ChaosResult,
  KEPT_ENGINE_STEPS,
  LABEL_RUN_ID,
  TIMELINE_LIMIT,
} from '../../api/index.ts';
import { buildEngineReport } from './build.ts';
import { toJUnit } from './junit.ts';
import type { EngineReport, ExperimentReport } from './model.ts';
import { exitCodeOf } from './outcome/of-report.ts';
import type { RunOutcome } from './outcome/run-outcome.ts';
import { toMarkdown } from './summary.ts';
import { mergeTimeline } from './timeline.ts';

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

function dryRunOf(verdict: string): EngineReport {
  return {
    ...engineReport([experimentReport(verdict, { reason: 'dry run, nothing was injected' })]),
    dryRun: true,
  };
}

const notSteady = experimentReport('Error', { errorCode: 'NOT_STEADY' });

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
    { name: 'a dry run without objections', engines: [dryRunOf('N/A')], code: 4 },
    { name: 'a dry run that would fail', engines: [dryRunOf('Error')], code: 1 },
    {
      name: 'a dry run beside a run that passed',
      engines: [engineReport([experimentReport('Pass')]), dryRunOf('N/A')],
      code: 4,
    },
    {
      name: 'a dry run beside a run that failed',
      engines: [engineReport([experimentReport('Fail')]), dryRunOf('N/A')],
      code: 1,
    },
    { name: 'broken before the fault', engines: [engineReport([notSteady])], code: 5 },
    {
      name: 'broken before the fault, beside a run that passed, and a dry run',
      engines: [engineReport([experimentReport('Pass'), notSteady]), dryRunOf('N/A')],
      code: 5,
    },
    {
      name: 'broken before the fault, beside a run that failed',
      engines: [engineReport([experimentReport('Fail'), notSteady])],
      code: 1,
    },
    { name: 'a run that was skipped', engines: [engineReport([experimentReport('N/A')])], code: 1 },
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

  it('has the steps of an engine that is gone from its results, each once', () => {
    const kept = [entry('01', 'EngineCreated', 'run-1'), entry('09', 'EngineDeleted', 'run-1')];
    const results = ['a', 'b'].map((name, index) => ({
      metadata: { name },
      status: { engineTimeline: kept, timeline: [entry(`0${index + 3}`, name, 'run-1')] },
    })) as unknown as ChaosResult[];
    const steps = mergeTimeline(undefined, results, 'run-1').map(({ step }) => step);
    assert.deepEqual(steps, ['EngineCreated', 'a', 'b', 'EngineDeleted']);
    // An engine of the same name that was made later, and one that was only stopped.
    const later = { metadata: { name: 'web' }, status: { timeline: [entry('20', 'Later', 'run-2')] } };
    const all = mergeTimeline(later as unknown as ChaosEngine, results).map(({ step }) => step);
    assert.deepEqual(all, ['EngineCreated', 'a', 'b', 'EngineDeleted', 'Later']);
    const stopped = { metadata: { name: 'web' }, status: { timeline: kept } } as unknown as ChaosEngine;
    assert.equal(mergeTimeline(stopped, results).length, 4);
  });

  it('says where older steps may have been dropped, for the run that is shown', () => {
    const many = (count: number, runId: string) =>
      Array.from({ length: count }, (_, index) => entry(`01.${String(index).padStart(4, '0')}`, 'S', runId));
    const engineWith = (timeline: readonly object[]) =>
      ({ metadata: { name: 'web', namespace: 'shop' }, status: { timeline } }) as unknown as ChaosEngine;
    const first = (engine: ChaosEngine | undefined, results: readonly object[] = []) =>
      mergeTimeline(engine, results as ChaosResult[], 'r1')[0]?.step;
    assert.equal(first(engineWith(many(TIMELINE_LIMIT - 1, 'r1'))), 'S');
    assert.equal(first(engineWith(many(TIMELINE_LIMIT, 'r1'))), 'OlderStepsDropped');
    const ofOtherRun = [...many(1, 'r0'), ...many(TIMELINE_LIMIT - 1, 'r1')];
    assert.equal(first(engineWith(ofOtherRun)), 'S', 'what was dropped is of an earlier run');
    const result = { metadata: { name: 'x' }, status: { engineTimeline: many(KEPT_ENGINE_STEPS, 'r1') } };
    assert.equal(first(undefined, [result]), 'OlderStepsDropped');
    const [gap] = mergeTimeline(engineWith(many(TIMELINE_LIMIT, 'r1')), [], 'r1');
    assert.match(gap?.message ?? '', /chaosengine\/shop\/web holds the latest 1000$/);
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
          experimentReport('Unheard of'),
        ]),
      ],
    });
    assert.match(
      xml,
      /<testsuites name="turnsole" tests="4" failures="1" errors="2" skipped="1" time="2\.000">/,
    );
    assert.match(
      xml,
      /<failure message="a &lt; &quot;b&quot; &amp; c">a &lt; &quot;b&quot; &amp; c<\/failure>/,
    );
    assert.match(xml, /<error message="verdict Error"\/>/);
    assert.match(xml, /<error message="verdict Unheard of"\/>/);
    assert.match(xml, /<skipped message="verdict N\/A"\/>/);
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
        { name: 'a', verdict: 'Error', why: 'found no target that it may hit: no pods (x)' },
        { name: 'b', verdict: 'Fail', why: 'its ChaosExperiment does not exist' },
      ],
    );
  });

  it('has how busy the machine was, and in JUnit a line where it could not keep up', () => {
    const engine = { metadata: { name: 'web' }, spec: { experiments: [{ name: 'a' }] } };
    const reportOf = (load: number): EngineReport => {
      const time = '2026-01-01T00:00:00.000Z';
      const busy = {
        process: 'experiment/a',
        cores: 2,
        eventLoopLateMs: { value: 0, time },
        load: { value: load, time },
      };
      const result = { metadata: { name: 'web-a' }, spec: { experiment: 'a' }, status: { pressure: [busy] } };
      return buildEngineReport({
        engine: engine as unknown as ChaosEngine,
        results: [result as unknown as ChaosResult],
      });
    };
    const [busy, quiet] = [reportOf(53), reportOf(0.4)];
    assert.equal(busy.experiments[0]?.pressure?.processes[0]?.load?.value, 53);
    assert.equal(quiet.experiments[0]?.pressure?.processes[0]?.load?.value, 0.4);
    const times = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:02Z' };
    const xmlOf = (report: EngineReport): string =>
      toJUnit({ turnsole: '0', ...times, aborted: false, engines: [report] });
    assert.match(
      xmlOf(busy),
      /<system-out>warning: this machine was overloaded: load 53 on 2 cores<\/system-out>/,
    );
    assert.doesNotMatch(xmlOf(quiet), /system-out/);
  });

  it('has the reason of an experiment that ended before it had a result', () => {
    const entry = { name: 'a', runner: '', experimentPod: '', status: 'Completed', verdict: 'Error' };
    const engine = {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { experiments: [{ name: 'a' }] },
      status: { engineStatus: 'completed', experiments: [{ ...entry, reason: 'its container was killed' }] },
    } as unknown as ChaosEngine;
    const [experiment] = buildEngineReport({ engine, results: [] }).experiments;
    assert.deepEqual([experiment?.verdict, experiment?.reason], ['Error', 'its container was killed']);
  });

  it('does not take the result of an earlier run for that of an experiment that died', () => {
    const entry = { name: 'a', runner: '', experimentPod: '', status: 'Completed', verdict: 'Error' };
    const engine = {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { experiments: [{ name: 'a' }] },
      status: { runId: 'r2', engineStatus: 'completed', experiments: [{ ...entry, reason: 'killed' }] },
    } as unknown as ChaosEngine;
    const earlier = {
      metadata: { name: 'web-a', labels: { [LABEL_RUN_ID]: 'r1' } },
      spec: { experiment: 'a' },
      status: { experimentStatus: { phase: 'Completed', verdict: 'Pass' } },
    } as unknown as ChaosResult;
    const [experiment] = buildEngineReport({ engine, results: [earlier] }).experiments;
    assert.deepEqual([experiment?.verdict, experiment?.reason], ['Error', 'killed']);
  });
});

describe('a fault without an effect', () => {
  it('differs from a run with an unknown effect', () => {
    const unknown = (verdict: string, state: string) => {
      const engine = {
        metadata: { name: 'web', namespace: 'shop' },
        spec: { experiments: [{ name: 'a' }] },
        status: { runId: 'r1', engineStatus: 'completed' },
      } as unknown as ChaosEngine;
      const target = { kind: 'pod', namespace: 'shop', name: 'web-1' };
      const injectedAt = '2030-01-01T00:00:00.000Z';
      const result = {
        metadata: { name: 'web-a' },
        spec: { experiment: 'a' },
        status: {
          experimentStatus: { phase: 'Completed', verdict },
          ledger: { 'r1.r0.x': { id: 'r1.r0.x', target, state, injectedAt } },
        },
      } as unknown as ChaosResult;
      return buildEngineReport({ engine, results: [result] }).experiments[0]?.effectUnknown;
    };
    assert.deepEqual(unknown('Pass', 'reverted'), ['pod shop/web-1']);
    assert.equal(unknown('Pass', 'done'), undefined);
    // The objection of the run has the targets then.
    assert.equal(unknown('Error', 'reverted'), undefined);
  });

  it('is in JUnit and JSON, also where the verdict is Pass', () => {
    const engine = {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { experiments: [{ name: 'a' }] },
      status: { runId: 'r1', engineStatus: 'completed' },
    } as unknown as ChaosEngine;
    const target = { kind: 'pod', namespace: 'shop', name: 'web-1', container: 'app' };
    const result = {
      metadata: { name: 'web-a' },
      spec: { experiment: 'a' },
      status: {
        experimentStatus: { phase: 'Completed', verdict: 'Pass' },
        ledger: {
          'r1.r0.x': { id: 'r1.r0.x', target, effect: { seen: false, message: 'nobody came' } },
          'r1.r0.y': {
            id: 'r1.r0.y',
            target: { ...target, name: 'web-2' },
            effect: { seen: true, message: '3 hits' },
          },
          'r1.r0.z': { id: 'r1.r0.z', target },
          'r0.r0.x': { id: 'r0.r0.x', target, effect: { seen: false, message: 'in an earlier run' } },
        },
      },
    } as unknown as ChaosResult;
    const report = buildEngineReport({ engine, results: [result] });
    assert.deepEqual(report.experiments[0]?.effects, [
      { target: 'pod/shop/web-1/app', seen: false, message: 'nobody came' },
      { target: 'pod/shop/web-2/app', seen: true, message: '3 hits' },
    ]);
    const times = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:02Z' };
    const xml = toJUnit({ turnsole: '0', ...times, aborted: false, engines: [report] });
    assert.match(
      xml,
      /no effect on pod\/shop\/web-1\/app: nobody came\neffect on pod\/shop\/web-2\/app: 3 hits/,
    );
  });
});

it('the summary for CI says what a pass has shown', () => {
  const outcome: RunOutcome = {
    state: 'passed',
    word: 'Passed',
    by: 'chaos',
    isScored: true,
    exitCode: 0,
    survival: 'web survived: one pod was deleted, replaced in 1.4 s, no request failed',
  };
  const frame = { turnsole: '1', startedAt: '', endedAt: '', aborted: false, engines: [] };
  assert.match(toMarkdown({ ...frame, outcome }), /^## Chaos: Passed\n\nweb survived: one pod was deleted/);
});
