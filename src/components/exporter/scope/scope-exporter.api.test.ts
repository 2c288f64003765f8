/** The exporter of a namespace and of a cluster, against an API server with kinds that check no types, as upstream's. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, EVENTS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/index.ts';
import { HALT_NAME } from '../../../chaos/halt.ts';
import { defineRunKinds } from '../../subscriber/testing/infrastructure.ts';
import { engineOf, type ResultShape, resultOf, store, storeEngine } from '../testing/results.ts';
import { startExporter } from '../testing/running-exporter.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

let number = 0;

/** A namespace of its own for each test. */
async function namespaceOfTest(): Promise<string> {
  const name = `shop-${++number}`;
  await api.client.create(NAMESPACES, { metadata: { name } });
  return name;
}

const put = (namespace: string, shape: ResultShape = {}): Promise<void> =>
  store(api.client, namespace, resultOf(shape));

const PASSED = { verdict: 'Pass', percentage: '100', runs: [1, 0, 0] } as const;

test('a run from its start to its end: names, labels, help texts and values of every series', async () => {
  const namespace = await namespaceOfTest();
  await storeEngine(api.client, namespace, engineOf());
  await put(namespace);
  await using exporter = await startExporter(api.server.adminConfig, namespace);
  const running = await exporter.scrape();
  const common =
    `chaosresult_namespace="${namespace}",chaosresult_name="web-pod-delete",chaosengine_name="web",` +
    'chaosengine_context="web_default",fault_name="pod-delete"';
  const workflow = 'workflow_name="nightly"';
  const app = 'app_label="app=web",app_namespace="default",app_kind="deployment"';
  for (const line of [
    `litmuschaos_awaited_experiments{${common},${workflow}} 1`,
    `litmuschaos_experiment_verdict{${common},chaosresult_verdict="Awaited",probe_success_percentage="0.000000",${app},${workflow}} 0`,
    `litmuschaos_namespace_scoped_awaited_experiments{chaosresult_namespace="${namespace}"} 1`,
    `turnsole_runs_total{chaosresult_namespace="${namespace}",fault_name="pod-delete",verdict="Pass"} 0`,
  ]) {
    assert.ok(running.text.includes(`${line}\n`), line);
  }
  await put(namespace, PASSED);
  const { text } = await exporter.scrapeUntil(
    (page) => page.of('litmuschaos_passed_experiments')[0] === 1,
    'the pass is shown',
  );
  const scope = `chaosresult_namespace="${namespace}"`;
  const expected: readonly (readonly [name: string, labels: string, value: number, help: string])[] = [
    ['passed_experiments', common, 1, 'Total number of passed experiments'],
    ['failed_experiments', common, 0, 'Total number of failed experiments'],
    ['awaited_experiments', `${common},${workflow}`, 0, 'Total number of awaited experiments'],
    ['probe_success_percentage', common, 100, 'ProbeSuccessPercentage for the experiments'],
    [
      'experiment_verdict',
      `${common},chaosresult_verdict="Pass",probe_success_percentage="100.000000",${app},${workflow}`,
      1,
      'Verdict of the experiments',
    ],
    ['experiment_start_time', common, 0, 'start time of the experiments'],
    ['experiment_end_time', common, 0, 'end time of the experiments'],
    ['experiment_chaos_injected_time', common, 0, 'chaos injected time of the experiments'],
    ['experiment_total_duration', common, 0, 'total duration of the experiments'],
    ['passed_experiments', scope, 1, 'Total number of passed experiments in watch namespace'],
    ['failed_experiments', scope, 0, 'Total number of failed experiments in watch namespace'],
    ['awaited_experiments', scope, 0, 'Total number of awaited experiments in watch namespace'],
    ['experiments_run_count', scope, 1, 'Total experiments run in watch namespace'],
    ['experiments_installed_count', scope, 1, 'Total number of experiments in watch namespace'],
  ].map(([suffix, labels, value, help]) => {
    const family = labels === scope ? 'litmuschaos_namespace_scoped_' : 'litmuschaos_';
    return [`${family}${suffix}`, String(labels), Number(value), String(help)];
  });
  for (const [name, labels, value, help] of expected) {
    assert.ok(text.includes(`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`), `${name}: ${help}`);
    assert.ok(text.includes(`\n${name}{${labels}} ${value}\n`), `${name}{${labels}} ${value}`);
  }
  const names = new Set([...text.matchAll(/^litmuschaos_\w+/gm)].map(([name]) => name));
  assert.deepEqual(names, new Set(expected.map(([name]) => name)), 'and no others');
  assert.match(text, /^turnsole_build_info\{version="0.0.0-test",node="[\d.]+"\} 1$/m);
  assert.match(text, /^process_resident_memory_bytes \d/m);
  assert.equal(await exporter.stop(), 0);
});

test('a cluster: results of all namespaces, and the aggregates of the cluster alone', async () => {
  const [one, two] = [await namespaceOfTest(), await namespaceOfTest()];
  await put(one, PASSED);
  await put(two, { verdict: 'Fail', percentage: '0', runs: [2, 3, 0] });
  await using exporter = await startExporter(api.server.adminConfig, '');
  const page = await exporter.scrape();
  assert.deepEqual(page.of('litmuschaos_passed_experiments', `"${one}"`), [1]);
  assert.deepEqual(page.of('litmuschaos_failed_experiments', `"${two}"`), [3]);
  const sum = (name: string): number => page.of(name).reduce((total, value) => total + value, 0);
  for (const kind of ['passed', 'failed', 'awaited']) {
    const total = sum(`litmuschaos_${kind}_experiments`);
    assert.deepEqual(page.of(`litmuschaos_cluster_scoped_${kind}_experiments`), [total], kind);
    assert.ok(
      page.text.includes(
        `# HELP litmuschaos_cluster_scoped_${kind}_experiments Total number of ${kind} experiments in all namespaces\n`,
      ),
    );
  }
  const installed = page.of('litmuschaos_passed_experiments').length;
  assert.deepEqual(page.of('litmuschaos_cluster_scoped_experiments_installed_count'), [installed]);
  assert.doesNotMatch(page.text, /namespace_scoped/);
});

test('a verdict is 1 from the first scrape that finds it for the interval, then 0; another run with the same one shows it anew', async () => {
  const namespace = await namespaceOfTest();
  await put(namespace);
  let nowMs = Date.parse('2030-01-01T00:00:00Z');
  const clock = { ...systemClock, now: () => nowMs };
  const env = { TSDB_SCRAPE_INTERVAL: '60' };
  await using exporter = await startExporter(api.server.adminConfig, namespace, { env, clock });
  await exporter.scrape();
  await put(namespace, PASSED);
  const passed = 'chaosresult_verdict="Pass"';
  const verdict = 'litmuschaos_experiment_verdict';
  const first = await exporter.scrapeUntil((page) => page.of(verdict, passed).length === 1, 'a Pass');
  assert.deepEqual(first.of(verdict), [1], 'the series of the earlier verdict is gone');
  nowMs += 59_999;
  assert.deepEqual((await exporter.scrape()).of(verdict), [1]);
  nowMs += 1;
  assert.deepEqual((await exporter.scrape()).of(verdict), [0]);
  await put(namespace);
  await put(namespace, { ...PASSED, runs: [2, 0, 0] });
  const again = await exporter.scrapeUntil(
    (page) => page.of('litmuschaos_passed_experiments')[0] === 2,
    'the second pass',
  );
  assert.deepEqual(again.of(verdict), [1]);
});

test('after a restart: results of engines that are over are shown, and their verdicts not once more', async () => {
  const namespace = await namespaceOfTest();
  const ended = (secondsAgo: number): object => ({
    timeline: [
      {
        time: new Date(Date.now() - secondsAgo * 1000).toISOString(),
        actor: 'experiment/pod-delete',
        step: 'Verdict',
        message: 'm',
      },
    ],
  });
  await put(namespace, { ...PASSED, name: 'old', status: ended(3600) });
  await put(namespace, { ...PASSED, name: 'young', status: ended(5) });
  await put(namespace, { ...PASSED, name: 'of-upstream' });
  const env = { TSDB_SCRAPE_INTERVAL: '600' };
  await using exporter = await startExporter(api.server.adminConfig, namespace, { env });
  const page = await exporter.scrape();
  const verdict = (name: string): number[] =>
    page.of('litmuschaos_experiment_verdict', `chaosresult_name="${name}"`);
  assert.deepEqual(verdict('old'), [0]);
  assert.deepEqual(verdict('young'), [1], 'its time is not over yet');
  assert.deepEqual(verdict('of-upstream'), [0], 'its Events have gone, so it is over an hour old');
  assert.deepEqual(page.of('litmuschaos_passed_experiments'), [1, 1, 1]);
  assert.deepEqual(
    page.of('turnsole_runs_total', 'verdict="Pass"'),
    [0],
    'the exporter before has counted them',
  );
});

test('times: from the timeline of a result, else from the Events on its engine', async () => {
  const namespace = await namespaceOfTest();
  const second = Math.floor(Date.now() / 1000) - 500;
  const at = (seconds: number): string => new Date((second + seconds) * 1000).toISOString();
  const step = (name: string, seconds: number): object => ({
    time: at(seconds),
    actor: 'experiment/x',
    step: name,
    message: 'm',
  });
  const timeline = [step('ExperimentStarted', 1), step('ChaosStarted', 2), step('Verdict', 33)];
  await put(namespace, { ...PASSED, name: 'ours', experiment: 'x', status: { timeline } });
  const { metadata } = await storeEngine(api.client, namespace, engineOf('theirs'));
  await put(namespace, { ...PASSED, engine: 'theirs', name: 'theirs' });
  const reasons = { ExperimentDependencyCheck: 10, ChaosInject: 14, Summary: 40, Noise: 99 };
  for (const [reason, seconds] of Object.entries(reasons)) {
    const event: CoreEvent = {
      metadata: { name: reason.toLowerCase() },
      reason,
      lastTimestamp: at(seconds).replace(/\.\d+/, ''),
      involvedObject: { kind: 'ChaosEngine', name: 'theirs', namespace, uid: metadata.uid ?? '' },
    };
    await api.client.create(EVENTS, event, { namespace });
  }
  await using exporter = await startExporter(api.server.adminConfig, namespace);
  const timesOf = async (name: string): Promise<number[]> => {
    const page = await exporter.scrape();
    const label = `chaosresult_name="${name}"`;
    return ['start_time', 'chaos_injected_time', 'end_time', 'total_duration'].map(
      (suffix) => page.of(`litmuschaos_experiment_${suffix}`, label)[0] ?? Number.NaN,
    );
  };
  assert.deepEqual(await timesOf('ours'), [second + 1, second + 2, second + 33, 32]);
  assert.deepEqual(await timesOf('theirs'), [second + 10, second + 14, second + 40, 30]);
});

test('whatever a result holds, it and all others are shown', async () => {
  const namespace = await namespaceOfTest();
  const odd: Record<string, unknown> = {
    nothing: {},
    'no-status': { spec: { engine: 'web' } },
    'null-status': { status: null, spec: null },
    'text-status': { status: 'gone', spec: 'x' },
    'no-history': { status: { experimentStatus: { verdict: 'Pass', probeSuccessPercentage: '100' } } },
    'odd-types': {
      spec: { engine: 7, experiment: ['x'] },
      status: {
        experimentStatus: { verdict: { a: 1 }, probeSuccessPercentage: [] },
        history: 'none',
        ledger: [1, null],
        timeline: { a: 1 },
        probeStatuses: [null, 5, { status: 'x' }],
      },
    },
    'odd-numbers': {
      status: {
        experimentStatus: { verdict: 'Fail', probeSuccessPercentage: 'a lot' },
        history: { passedRuns: -5, failedRuns: '3', stoppedRuns: 1e300 },
        ledger: { 'run-1.r0.a': { state: 'injected', plannedAt: 'yesterday' }, b: null },
        timeline: [null, 'x', { step: 'Verdict', actor: 'experiment/x', time: 'never' }],
        probeStatuses: [{ type: 'newProbe', status: { verdict: 'Odd' } }],
      },
    },
    negative: { status: { experimentStatus: { verdict: 'Pass', probeSuccessPercentage: '-1' } } },
    huge: { status: { experimentStatus: { verdict: 'Pass', probeSuccessPercentage: '1e400' } } },
    'long-text': { spec: { engine: 'x'.repeat(300_000) } },
    'odd-text': { spec: { engine: 'a"b\\c\nd\ud800' } },
  };
  for (const [name, fields] of Object.entries(odd)) {
    const object = { metadata: { name }, apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosResult' };
    // Test data: it breaks the type on purpose.
    await api.client.create(CHAOS_RESULTS, { ...object, ...(fields as object) } as never, { namespace });
  }
  await put(namespace, PASSED);
  const odder = { metadata: { name: 'odd' }, spec: { appinfo: 'none', experiments: [] } };
  await api.client.create(
    CHAOS_ENGINES,
    { apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosEngine', ...odder } as never,
    { namespace },
  );
  await using exporter = await startExporter(api.server.adminConfig, namespace);
  // Once more as changes, when ended runs are counted.
  for (const name of Object.keys(odd)) {
    await api.client.patch(
      CHAOS_RESULTS,
      name,
      'merge',
      { metadata: { labels: { again: 'yes' } } },
      { namespace },
    );
  }
  const page = await exporter.scrape();
  const names = page.text.match(/^litmuschaos_passed_experiments\{.*$/gm) ?? [];
  assert.equal(names.length, Object.keys(odd).length + 1);
  assert.ok(names.every((line) => line.length < 2_000));
  const of = (name: string, metric: string): number[] => page.of(metric, `chaosresult_name="${name}"`);
  for (const name of ['odd-numbers', 'negative', 'huge', 'odd-types']) {
    assert.deepEqual(of(name, 'litmuschaos_probe_success_percentage'), [0], name);
  }
  assert.deepEqual(of('odd-numbers', 'litmuschaos_passed_experiments'), [0]);
  assert.deepEqual(page.of('litmuschaos_namespace_scoped_passed_experiments'), [1]);
  assert.match(page.text, /chaosengine_name="a\\"b\\\\c\\nd/);
});

test('nothing outlives its object: results and engines that go, and labels that change', async () => {
  const namespace = await namespaceOfTest();
  await storeEngine(api.client, namespace, engineOf());
  await put(namespace, PASSED);
  await put(namespace, { ...PASSED, name: 'other', engine: 'other' });
  await using exporter = await startExporter(api.server.adminConfig, namespace);
  await exporter.scrape();
  await api.client.patch(
    CHAOS_ENGINES,
    'web',
    'merge',
    { metadata: { labels: { context: 'new' } } },
    { namespace },
  );
  const changed = await exporter.scrapeUntil((page) => page.text.includes('context="new"'), 'the new label');
  assert.doesNotMatch(changed.text, /web_default/);
  await api.client.delete(CHAOS_RESULTS, 'other', { namespace });
  const fewer = await exporter.scrapeUntil((page) => !page.text.includes('name="other"'), 'one goes');
  assert.deepEqual(fewer.of('litmuschaos_namespace_scoped_passed_experiments'), [1]);
  await api.client.delete(CHAOS_ENGINES, 'web', { namespace });
  await api.client.create(CHAOS_ENGINES, engineOf('marker'), { namespace });
  await put(namespace, { name: 'marker', engine: 'marker' });
  // The marker's engine came after the deletion on the same watch.
  const without = await exporter.scrapeUntil((page) => page.text.includes('marker_default'), 'the marker');
  assert.deepEqual(
    without.of('litmuschaos_passed_experiments', 'name="web-pod-delete"', 'context="new"'),
    [1],
  );
  assert.deepEqual(
    without.of('litmuschaos_namespace_scoped_passed_experiments'),
    [1],
    'its runs still count',
  );
  for (const name of ['web-pod-delete', 'marker'])
    await api.client.delete(CHAOS_RESULTS, name, { namespace });
  const empty = await exporter.scrapeUntil(
    (page) => !page.text.includes('chaosresult_name='),
    'all are gone',
  );
  assert.doesNotMatch(empty.text, /litmuschaos_(passed|failed|awaited|probe|experiment)_/);
  assert.deepEqual(empty.of('litmuschaos_namespace_scoped_experiments_installed_count'), [0]);
});

test('what is counted: ended runs, probes, latencies, residue, each once', async () => {
  const namespace = await namespaceOfTest();
  await put(namespace);
  await using exporter = await startExporter(api.server.adminConfig, namespace);
  const iso = (ms: number): string => new Date(1_900_000_000_000 + ms).toISOString();
  const entry = (change: object): object => ({
    state: 'reverted',
    plannedAt: iso(0),
    injectedAt: iso(200),
    leaseExpiresAt: iso(60_000),
    ...change,
  });
  const status = {
    probeStatuses: [
      { name: 'a', type: 'httpProbe', mode: 'SOT', status: { verdict: 'Passed' } },
      { name: 'b', type: 'httpProbe', mode: 'EOT', status: { verdict: 'Failed' } },
      { name: 'c', type: 'cmdProbe', mode: 'EOT', status: { verdict: 'N/A' } },
    ],
    ledger: {
      'run-1.r0.a': entry({ revertedAt: iso(32_200) }),
      'run-1.r0.b': entry({ state: 'injected' }),
      'other.r0.c': entry({ revertedAt: iso(40_000) }),
    },
  };
  const failed = { verdict: 'Fail', percentage: '50', runs: [0, 1, 0] as const };
  await put(namespace, { ...failed, status });
  const runs = (verdict: string): readonly [string, string] => [
    'turnsole_runs_total',
    `verdict="${verdict}"`,
  ];
  const page = await exporter.scrapeUntil((now) => now.of(...runs('Fail'))[0] === 1, 'the run');
  assert.deepEqual(page.of(...runs('Pass')), [0]);
  assert.deepEqual(page.of('turnsole_probes_total', 'type="httpProbe"'), [1, 1, 0]);
  assert.deepEqual(page.of('turnsole_probes_total', 'type="cmdProbe"', 'verdict="N/A"'), [1]);
  assert.deepEqual(page.of('turnsole_injection_latency_seconds_count'), [2]);
  assert.deepEqual(page.of('turnsole_injection_latency_seconds_sum'), [0.4]);
  assert.deepEqual(page.of('turnsole_revert_latency_seconds_count'), [1]);
  assert.deepEqual(page.of('turnsole_revert_latency_seconds_sum'), [2]);
  assert.deepEqual(page.of('turnsole_residue_found_total'), [1]);
  assert.deepEqual(page.of('turnsole_residue_open'), [1]);
  // The recovery reverts what was left; the verdict stays.
  const ledger = { 'run-1.r0.b': entry({ revertedAt: iso(90_000) }) };
  await put(namespace, { ...failed, status: { ...status, ledger } });
  const recovered = await exporter.scrapeUntil(
    (now) => now.of('turnsole_residue_reverted_total')[0] === 1,
    'the recovery',
  );
  assert.deepEqual(recovered.of('turnsole_residue_open'), []);
  assert.deepEqual(recovered.of(...runs('Fail')), [1], 'counted once');
  // A result that comes with its verdict has run while the exporter looked on.
  await put(namespace, { ...PASSED, name: 'fast' });
  const fast = await exporter.scrapeUntil((now) => now.of(...runs('Pass'))[0] === 1, 'the fast one');
  assert.deepEqual(fast.of('turnsole_revert_latency_seconds_count'), [1]);
});

test('the safety lever: since when it is pulled, and for how long it was', async () => {
  const namespace = await namespaceOfTest();
  let nowMs = Date.parse('2030-01-01T00:00:00Z');
  const clock = { ...systemClock, now: () => nowMs };
  const lever = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: HALT_NAME },
    data: { since: '2029-12-31T23:00:00Z' },
  };
  await api.client.create(CONFIG_MAPS, lever, { namespace });
  await using exporter = await startExporter(api.server.adminConfig, namespace, { clock });
  const label = `halted_namespace="${namespace}"`;
  const since = 'turnsole_halted_since_timestamp_seconds';
  const pulled = await exporter.scrapeUntil((page) => page.of(since, label).length === 1, 'the lever');
  assert.deepEqual(pulled.of(since, label), [nowMs / 1000 - 3600]);
  assert.deepEqual(pulled.of('turnsole_halted_seconds_total', label), [0]);
  nowMs += 90_000;
  assert.deepEqual((await exporter.scrape()).of('turnsole_halted_seconds_total', label), [90]);
  await api.client.delete(CONFIG_MAPS, HALT_NAME, { namespace });
  const released = await exporter.scrapeUntil((page) => page.of(since, label).length === 0, 'its release');
  assert.deepEqual(released.of('turnsole_halted_seconds_total', label), [90]);
  nowMs += 3_600_000;
  assert.deepEqual((await exporter.scrape()).of('turnsole_halted_seconds_total', label), []);
});
