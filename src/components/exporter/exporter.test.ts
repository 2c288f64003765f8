import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { EngineExporter } from './engine-exporter.ts';
import { engineMetrics } from './engine-metrics.ts';
import { experimentTimes } from './event-times.ts';
import { resultFigures } from './result-figures.ts';
import { remember } from './result-memory.ts';
import { verdictUntilMs } from './result-metrics.ts';
import { runExporter } from './run-exporter.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function engine(change: Partial<ChaosEngine['metadata']> = {}, names = ['pod-delete']): ChaosEngine {
  return {
    metadata: { name: 'web', namespace: 'shop', uid: 'u1', ...change },
    spec: {
      appinfo: { appns: 'shop', applabel: 'app=web', appkind: 'deployment' },
      experiments: names.map((name) => ({ name })),
    },
  };
}

interface ResultShape {
  readonly experiment?: string;
  readonly instance?: string;
  readonly verdict?: string;
  readonly percentage?: string;
  readonly runs?: readonly [passed: number, failed: number];
}

function result({ experiment = 'pod-delete', instance, ...shape }: ResultShape = {}): ChaosResult {
  const name = `web-${experiment}${instance === undefined ? '' : `-${instance}`}`;
  const { verdict, percentage, runs } = shape;
  return {
    metadata: { name, namespace: 'shop', uid: `uid-${name}` },
    spec: { engine: 'web', experiment },
    status: {
      ...(verdict === undefined
        ? {}
        : {
            experimentStatus: {
              phase: 'Completed',
              verdict: verdict as 'Pass',
              ...(percentage === undefined ? {} : { probeSuccessPercentage: percentage }),
            },
          }),
      ...(runs === undefined
        ? {}
        : { history: { passedRuns: runs[0], failedRuns: runs[1], stoppedRuns: 0 } }),
    },
  };
}

function event(reason: string, seconds: number, name = `${reason}pod-deleteu1`): CoreEvent {
  const lastTimestamp = new Date(NOW + seconds * 1000).toISOString();
  return { metadata: { name }, reason, lastTimestamp, involvedObject: { uid: 'u1' } };
}

/** `name{label="value",…} value`, as a page shows it. */
function show(
  of: ChaosEngine,
  results: readonly ChaosResult[],
  { events = [] as readonly CoreEvent[], nowMs = NOW } = {},
): string[] {
  const observed = { engine: of, results, events };
  const figures = resultFigures(observed);
  const families = engineMetrics(observed, figures, {
    appUid: 'a1',
    kubernetesVersion: 'v1.33.0',
    memories: remember(new Map(), figures, NOW),
    nowMs,
    verdictIntervalMs: 10_000,
  });
  return families.flatMap(({ name, samples }) =>
    samples.map(({ labels, value }) => {
      const text = Object.entries(labels).map(([key, word]) => `${key}="${word}"`);
      return `${name}{${text.join(',')}} ${value}`;
    }),
  );
}

test('totals: each verdict counts as its status says', async (t) => {
  const cases: [string, ResultShape | undefined, status: number, passed: number, failed: number][] = [
    ['not executed', undefined, 0, 0, 0],
    ['a result without a verdict', {}, 0, 0, 0],
    ['running', { verdict: 'Awaited' }, 1, 0, 0],
    ['passed', { verdict: 'Pass' }, 3, 1, 0],
    ['failed', { verdict: 'Fail' }, 2, 0, 1],
    ['ended in an error', { verdict: 'Error' }, 2, 0, 1],
    ['stopped', { verdict: 'Stopped' }, 0, 0, 0],
    ['the word in another case', { verdict: 'pass' }, 3, 1, 0],
  ];
  for (const [name, shape, status, passed, failed] of cases) {
    await t.test(name, () => {
      const labels = 'app_uid="a1",engine_name="web",kubernetes_version="v1.33.0",openebs_version="N/A"';
      assert.deepEqual(show(engine(), shape === undefined ? [] : [result(shape)]).slice(0, 4), [
        `c_engine_experiment_count{${labels}} 1`,
        `c_engine_passed_experiments{${labels}} ${passed}`,
        `c_engine_failed_experiments{${labels}} ${failed}`,
        `c_exp_pod_delete{${labels}} ${status}`,
      ]);
    });
  }
});

test('totals: of several instances the failed one decides; names that share a metric share its value', () => {
  const several = engine({}, ['pod-delete', 'pod.delete', 'node-drain']);
  const statuses = show(several, [
    result({ instance: 'a', verdict: 'Pass' }),
    result({ instance: 'b', verdict: 'Fail' }),
    result({ experiment: 'pod.delete', verdict: 'Pass' }),
    result({ experiment: 'node-drain', instance: 'a', verdict: 'Pass' }),
    result({ experiment: 'node-drain', instance: 'b', verdict: 'Awaited' }),
  ])
    .filter((line) => line.startsWith('c_'))
    .map((line) => line.replace(/\{.*\}/, ''));
  assert.deepEqual(statuses, [
    'c_engine_experiment_count 3',
    'c_engine_passed_experiments 1',
    'c_engine_failed_experiments 1',
    'c_exp_pod_delete 2',
    'c_exp_node_drain 1',
  ]);
});

test("results: today's names, labels and values", () => {
  const labelled = engine({ labels: { context: 'web_default', workflow_name: 'nightly' } });
  const events = [
    event('ExperimentDependencyCheck', 0),
    event('ChaosInject', 7),
    event('Summary', 30),
    event('PreChaosCheck', 99),
  ];
  const lines = show(labelled, [result({ verdict: 'Pass', percentage: '50', runs: [4, 2] })], { events });
  const common =
    'chaosresult_namespace="shop",chaosresult_name="web-pod-delete",chaosengine_name="web",chaosengine_context="web_default",fault_name="pod-delete"';
  const seconds = NOW / 1000;
  assert.deepEqual(lines.slice(4), [
    `litmuschaos_passed_experiments{${common}} 4`,
    `litmuschaos_failed_experiments{${common}} 2`,
    `litmuschaos_awaited_experiments{${common},workflow_name="nightly"} 0`,
    `litmuschaos_probe_success_percentage{${common}} 50`,
    `litmuschaos_experiment_verdict{${common},chaosresult_verdict="Pass",probe_success_percentage="50.000000",` +
      'app_label="app=web",app_namespace="shop",app_kind="deployment",workflow_name="nightly"} 1',
    `litmuschaos_experiment_start_time{${common}} ${seconds}`,
    `litmuschaos_experiment_end_time{${common}} ${seconds + 30}`,
    `litmuschaos_experiment_chaos_injected_time{${common}} ${seconds + 7}`,
    `litmuschaos_experiment_total_duration{${common}} 30`,
  ]);
});

test('results: absent labels are empty, odd percentages 0, an end before the start is no duration', () => {
  const lines = show(engine(), [result({ verdict: 'Awaited', percentage: 'Awaited' })], {
    events: [event('ExperimentDependencyCheck', 60), event('Summary', 30)],
  });
  const of = (name: string): string => lines.find((line) => line.startsWith(`litmuschaos_${name}{`)) ?? '';
  assert.match(of('awaited_experiments'), /chaosengine_context="".*workflow_name=""\} 1$/);
  assert.match(of('probe_success_percentage'), / 0$/);
  assert.match(
    of('experiment_verdict'),
    /chaosresult_verdict="Awaited",probe_success_percentage="0.000000".* 0$/,
  );
  assert.match(of('experiment_total_duration'), / 0$/);
});

test('times: experiments of one engine are kept apart; foreign names count for all', () => {
  const events = [
    event('ChaosInject', 5),
    event('ChaosInject', 9, 'ChaosInjectnode-drainu1'),
    event('Summary', 20, 'summary.17a'),
    event('Summary', 10, 'summary.17b'),
    { metadata: { name: 'x' }, reason: 'Summary', involvedObject: {} },
  ];
  const seconds = NOW / 1000;
  const times = (name: string) => experimentTimes(engine(), name, events);
  assert.deepEqual(times('pod-delete'), { start: 0, injected: seconds + 5, end: seconds + 20 });
  assert.deepEqual(times('node-drain'), { start: 0, injected: seconds + 9, end: seconds + 20 });
});

test('memory: a verdict is 1 for the interval after it is first seen, a new one begins anew, what is gone is forgotten', () => {
  const figures = (verdict: string) =>
    resultFigures({ engine: engine(), results: [result({ verdict })], events: [] });
  const first = remember(new Map(), figures('Pass'), NOW);
  const value = (memories: ReturnType<typeof remember>, nowMs: number): number => {
    const memory = memories.get('uid-web-pod-delete');
    assert.ok(memory);
    return Number(nowMs < verdictUntilMs(memory.verdict, memory.sinceMs, 10_000));
  };
  assert.equal(value(first, NOW), 1);
  const later = remember(first, figures('Pass'), NOW + 9_999);
  assert.equal(value(later, NOW + 9_999), 1);
  assert.equal(value(later, NOW + 10_000), 0);
  const failed = remember(later, figures('Fail'), NOW + 20_000);
  assert.equal(value(failed, NOW + 29_999), 1);
  assert.equal(value(remember(failed, figures('Awaited'), NOW), NOW), 0, 'awaited is never 1');
  assert.equal(remember(failed, [], NOW).size, 0);
  const back = NOW - 3_600_000;
  const setBack = remember(failed, figures('Fail'), back);
  assert.equal(
    value(remember(setBack, figures('Fail'), back + 10_000), back + 10_000),
    0,
    'the clock was set back',
  );
});

test('memory: times outlive the Events they come from', () => {
  const look = (events: readonly CoreEvent[]) =>
    resultFigures({ engine: engine(), results: [result({ verdict: 'Pass' })], events });
  const first = remember(new Map(), look([event('Summary', 30)]), NOW);
  const after = remember(first, look([]), NOW);
  assert.deepEqual(after.get('uid-web-pod-delete')?.times, { start: 0, injected: 0, end: NOW / 1000 + 30 });
});

test('process: a wrong environment ends with 2, a cluster that is not there with 1', async () => {
  const config = { server: 'http://127.0.0.1:1', namespace: 'shop' };
  const lines: string[] = [];
  const logger = { error: (_: unknown, text: string) => lines.push(text), info: () => {}, warn: () => {} };
  // As much of a logger as the process uses on its way out.
  const io = { config, logger: logger as never };
  assert.equal(await runExporter([], { CHAOSENGINE: '' }, io), 2);
  assert.equal(await runExporter(['-nope'], { CHAOSENGINE: 'web' }, io), 2);
  assert.equal(
    await runExporter(['-kubeconfig=/does/not/exist'], { CHAOSENGINE: 'web' }, { logger: logger as never }),
    1,
  );
  assert.deepEqual(lines, ['exporter cannot start', 'exporter cannot start', 'exporter failed']);
});

test('page: scrapes at the same time share one look; an engine that is gone has no samples; a refusal is no page', async () => {
  let looks = 0;
  let answer: () => Promise<ChaosEngine | undefined> = () => Promise.resolve(engine());
  const client = {
    find: () => {
      looks += 1;
      return answer();
    },
    list: () => Promise.resolve({ items: [result({ verdict: 'Pass' })], metadata: {} }),
    raw: () => Promise.reject(new Error('no version')),
  };
  const exporter = new EngineExporter({
    // The rest is never called, and what is asked for decides on the types.
    client: client as never,
    clock: systemClock,
    engine: { name: 'web', namespace: 'shop' },
    settings: { appUid: '', verdictIntervalMs: 10_000 },
    signal: new AbortController().signal,
  });
  const [one, two] = await Promise.all([exporter.page(), exporter.page()]);
  assert.equal(one.body, two.body);
  assert.equal(looks, 1);
  assert.match(one.body, /^c_exp_pod_delete\{.*kubernetes_version="".*\} 3$/m);
  assert.match(one.body, /^process_resident_memory_bytes \d/m);

  answer = () => Promise.resolve(undefined);
  const gone = await exporter.page();
  assert.doesNotMatch(gone.body, /c_engine|litmuschaos_/);
  assert.match(gone.body, /^process_resident_memory_bytes \d/m);

  answer = () => Promise.reject(new ApiError('GET', 403, { code: 403, reason: 'Forbidden' }));
  await assert.rejects(exporter.page(), /403/);
});
