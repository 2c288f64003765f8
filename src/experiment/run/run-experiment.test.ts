import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { CoreEvent, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS, EVENTS, PODS } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { putAsUpstream } from '../../../test/support/upstream-writer.ts';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosEngineSpec,
  type ChaosResult,
  type LedgerEntry,
  type Probe,
} from '../../api/index.ts';
import { ANNOTATION_DRY_RUN, ANNOTATION_LAST_APPLIED, ANNOTATION_RUN } from '../../chaos/run-record.ts';
import { podDelete } from '../../faults/pod/pod-delete.ts';
import type { PressureReader } from '../../process/pace/pressure-reader.ts';
import type { Fault } from '../injection/fault.ts';
import { marker } from '../injection/testing/marker-fault.ts';
import { type ExperimentOutcome, runExperiment } from './run-experiment.ts';

let cluster: ExperimentCluster;

shareExperimentCluster((started) => {
  cluster = started;
});
/** A run against the deployment `web` of a new namespace. */
interface Scene {
  readonly fault?: Fault;
  readonly replicas?: number;
  readonly env?: Record<string, string>;
  readonly spec?: Partial<ChaosEngineSpec>;
  readonly probes?: readonly Probe[];
  readonly pressure?: PressureReader;
}

async function prepare({
  fault = podDelete as Fault,
  replicas = 2,
  env = {},
  spec = {},
  probes = [],
  pressure,
}: Scene) {
  const namespace = await cluster.namespace();
  if (replicas > 0) await cluster.deployment(namespace, 'web', replicas);
  const engine = await cluster.engine(namespace, fault.name, {
    experiments: [{ name: fault.name, spec: { probe: [...probes] } }],
    ...spec,
  });
  const own = await cluster.client.create<Pod>(
    PODS,
    {
      metadata: { name: 'me', labels: { name: fault.name, chaosUID: engine.metadata.uid ?? '' } },
      spec: { containers: [{ name: fault.name, image: 'turnsole' }] },
    },
    { namespace },
  );
  const settings = {
    CHAOSENGINE: 'eng',
    CHAOS_UID: engine.metadata.uid ?? '',
    CHAOS_NAMESPACE: namespace,
    EXPERIMENT_NAME: fault.name,
    POD_NAME: own.metadata.name,
    RUN_ID: 'run1',
    TARGETS: `deployment:${namespace}:[app=web]`,
    TOTAL_CHAOS_DURATION: '10',
    CHAOS_INTERVAL: '5',
    STATUS_CHECK_TIMEOUT: '300',
    ...env,
  };
  const stop = new AbortController();
  const run = (change: Record<string, string> = {}): Promise<ExperimentOutcome> =>
    runExperiment({
      fault,
      env: { ...settings, ...change },
      client: cluster.client,
      clock: fastClock(),
      random: () => 0,
      signal: stop.signal,
      logger: silentLogger,
      pressure,
    });
  const resultName = `eng-${fault.name}`;
  return { namespace, run, stop, resultName, result: () => cluster.result(namespace, resultName) };
}

async function podUids(namespace: string): Promise<(string | undefined)[]> {
  const { items } = await cluster.client.list<Pod>(PODS, { namespace, labelSelector: 'app=web' });
  return items.map(({ metadata }) => metadata.uid).sort();
}

function steps(result: ChaosResult): string[] {
  return (result.status?.timeline ?? []).map(({ step }) => step);
}

function outline({ status }: ChaosResult): string {
  const { phase, verdict, probeSuccessPercentage } = status?.experimentStatus ?? {};
  const { passedRuns, failedRuns, stoppedRuns } = status?.history ?? {};
  return `${phase} ${verdict} ${probeSuccessPercentage} ${passedRuns}/${failedRuns}/${stoppedRuns}`;
}

/** A probe on a config map that is there or not. */
function probe(
  name: string,
  mode: Probe['mode'],
  operation: 'present' | 'absent',
  namespace: string,
  stops = false,
): Probe {
  return {
    name,
    type: 'k8sProbe',
    mode,
    'k8sProbe/inputs': {
      version: 'v1',
      resource: 'configmaps',
      namespace,
      resourceNames: 'nothing',
      operation,
    },
    runProperties: {
      probeTimeout: '20s',
      interval: '1s',
      attempt: 1,
      probePollingInterval: '1s',
      stopOnFailure: stops,
    },
  };
}

test('pods are really deleted, and everything users look at is there', async () => {
  const { namespace, run, result, stop } = await prepare({ replicas: 3, env: { PODS_AFFECTED_PERC: '100' } });
  const before_ = await podUids(namespace);
  const outcome = await run();
  assert.deepEqual(outcome, { verdict: 'Pass', phase: 'Completed', errorOutput: undefined, exitCode: 0 });
  assert.equal(stop.signal.aborted, false);
  const after_ = await podUids(namespace);
  assert.equal(after_.length, 3);
  assert.equal(
    after_.some((uid) => before_.includes(uid)),
    false,
  );

  const object = await result();
  assert.equal(outline(object), 'Completed Pass 100 1/0/0');
  assert.deepEqual(object.spec, { engine: 'eng', experiment: 'pod-delete' });
  assert.equal(object.metadata.labels?.name, 'pod-delete');
  assert.equal(object.metadata.labels?.['turnsole.io/run-id'], 'run1');
  assert.equal(object.metadata.ownerReferences, undefined);
  assert.deepEqual(object.metadata.annotations ?? {}, {});
  assert.deepEqual(object.status?.history?.targets, [
    { kind: 'deployment', name: 'web', chaosStatus: 'targeted' },
  ]);
  assert.equal(object.status?.experimentStatus?.errorOutput, undefined);
  const entries = Object.values(object.status?.ledger ?? {});
  assert.ok(entries.length >= 3 && entries.every(({ state }) => state === 'done'));
  assert.equal(steps(object).filter((step) => step === 'ChaosStarted').length, 1);
  assert.deepEqual(
    [...new Set(steps(object))].filter((step) => !step.startsWith('Pod')),
    ['ExperimentStarted', 'HealthChecked', 'ChaosStarted', 'Injected', 'ChaosEnded', 'Verdict'],
  );
  const ofPods = [...new Set(steps(object))].filter((step) => step.startsWith('Pod'));
  assert.deepEqual(ofPods, ['PodReady', 'PodTerminating', 'PodGone']);
  const last = [/^ChaosEngine Summary /, /^ChaosResult Pass /];
  const events = (await cluster.events(namespace, ...last)).map((line) => line.replace(/×\d+/, ''));
  assert.deepEqual(events, [
    'ChaosEngine ChaosInject Normal : Injecting pod-delete chaos on application pod',
    'ChaosEngine PostChaosCheck Normal : AUT: Running',
    'ChaosEngine PreChaosCheck Normal : AUT: Running',
    'ChaosEngine Summary Normal : pod-delete experiment has been Passed',
    'ChaosResult Awaited Normal : experiment: pod-delete, Result: Awaited',
    'ChaosResult Pass Normal : experiment: pod-delete, Result: Pass',
  ]);
});

test('a second pod of the same run changes nothing: neither targets nor result', async () => {
  const { namespace, run, result } = await prepare({});
  await run();
  const [pods, before] = [await podUids(namespace), await result()];
  const again = await run();
  assert.deepEqual([again.verdict, again.exitCode], ['Error', 1]);
  assert.match(
    again.errorOutput?.reason ?? '',
    /run run1 of pod-delete was begun by another pod, which was lost/,
  );
  assert.deepEqual([await podUids(namespace), await result()], [pods, before]);
});

test('a second run of the same engine counts on, and forgets the ledger of the first', async () => {
  const { run, result, namespace } = await prepare({});
  await run();
  const first = Object.keys((await result()).status?.ledger ?? {});
  await run({ RUN_ID: 'run2' });
  const object = await result();
  assert.equal(outline(object), 'Completed Pass 100 2/0/0');
  assert.equal(
    Object.keys(object.status?.ledger ?? {}).some((id) => first.includes(id)),
    false,
  );
  assert.deepEqual([...new Set(object.status?.timeline?.map(({ runId }) => runId))], ['run1', 'run2']);
  // An experiment waits a while for its Events at its end, which is 50 times as short here.
  await cluster.until<CoreEvent>(EVENTS, namespace, (events) =>
    events.some(
      ({ reason, message, count }) =>
        reason === 'Summary' && message === 'pod-delete experiment has been Passed' && count === 2,
    ),
  );
});

test('what cannot be run is refused before anything is touched, with an Error that says why', async (t) => {
  const cases: [string, Scene, string, RegExp][] = [
    [
      'no such target',
      { env: { TARGETS: 'deployment:nowhere:[app=web]', DEFAULT_HEALTH_CHECK: 'false' } },
      'TARGET_SELECTION_ERROR',
      /no pods found for deployment:nowhere:\[app=web\]/,
    ],
    [
      'settings that cannot be read',
      { env: { CHAOS_INTERVAL: 'often', FORCE: 'perhaps' } },
      'GENERIC_ERROR',
      /CHAOS_INTERVAL is .*often.*FORCE is .*perhaps/,
    ],
    [
      'an engine that does not exist',
      { env: { CHAOSENGINE: 'other' } },
      'GENERIC_ERROR',
      /cannot read ChaosEngine .*other/,
    ],
    [
      'a probe that cannot be used',
      {
        probes: [
          { ...probe('p', 'SOT', 'present', 'x'), runProperties: { probeTimeout: 'soon', interval: '1s' } },
        ],
      },
      'K8S_PROBE_ERROR',
      /spec\.experiments\[0\]\.spec\.probe\[0\]\.runProperties\.probeTimeout/,
    ],
    [
      'a label that no workload has, without waiting for pods',
      { replicas: 0 },
      'STATUS_CHECKS_ERROR',
      /is not healthy: deployment:.*no running pod found \(no deployment in namespace .* has pods with label app=web\); check/,
    ],
  ];
  for (const [name, scene, code, reason] of cases) {
    await t.test(name, async () => {
      const { namespace, run } = await prepare(scene);
      const before_ = await podUids(namespace);
      const outcome = await run();
      assert.equal(outcome.exitCode, 0);
      assert.equal(outcome.verdict, 'Error');
      assert.deepEqual(await podUids(namespace), before_);
      const { items } = await cluster.client.list<ChaosResult>(CHAOS_RESULTS, { namespace });
      const [object] = items;
      assert.ok(object !== undefined);
      assert.equal(outline(object), 'Error Error 0 0/0/0');
      const output = object.status?.experimentStatus?.errorOutput;
      assert.equal(output?.errorCode, code);
      assert.match(output?.reason ?? '', reason);
      assert.deepEqual(object.status?.ledger, {});
    });
  }
});

test('what the check after chaos asks: a workload without pods is not healthy, one with fewer is told', async (t) => {
  const scaling = (replicas: number): Fault =>
    marker({
      async inject({ target: { namespace = '' } }) {
        await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { replicas } }, { namespace });
        await cluster.readyPods(namespace, 'web', replicas);
      },
    });
  await t.test('2 that became 0', async () => {
    const { run, result } = await prepare({ fault: scaling(0) });
    const { verdict, errorOutput } = await run();
    assert.deepEqual([verdict, errorOutput?.errorCode], ['Error', 'STATUS_CHECKS_ERROR']);
    assert.match(
      errorOutput?.reason ?? '',
      /not healthy after chaos: .*no running pod found \(deployment .*\/web wants 0 pods\); it was before/,
    );
    assert.ok(!steps(await result()).includes('Verdict Pass'));
  });
  await t.test('2 that became 1', async () => {
    // The clock of this test is faster than the requests by which a pod that went is followed.
    const spec = { minimumCoverage: 0 };
    const { run, result, namespace } = await prepare({ fault: scaling(1), spec });
    assert.equal((await run()).verdict, 'Pass');
    const told = (await result()).status?.timeline?.filter(({ step }) => step === 'HealthChecked') ?? [];
    assert.equal(
      told.at(-1)?.message,
      `the application is healthy after chaos; deployment ${namespace}/web has 1 ready pod, 2 before chaos, because it wants no more now`,
    );
  });
});

test('a bare pod is refused, nothing is deleted', async () => {
  const { namespace, run } = await prepare({ replicas: 0 });
  const bare = { metadata: { name: 'bare' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const created = await cluster.client.create<Pod>(PODS, bare, { namespace });
  await cluster.until<Pod>(PODS, namespace, (pods) =>
    pods.every(({ status }) => status?.phase === 'Running'),
  );
  const outcome = await run({ TARGETS: `pod:${namespace}:[bare]` });
  assert.match(outcome.errorOutput?.reason ?? '', /no workload owns it and nothing would recreate it/);
  const found = await cluster.client.get<Pod>(PODS, 'bare', { namespace });
  assert.equal(found.metadata.uid, created.metadata.uid);
});

test('annotationCheck: an application that does not agree is left alone, one that does is hit', async () => {
  const { namespace, run, result } = await prepare({ env: { ANNOTATION_CHECK: 'true' } });
  const before = await podUids(namespace);
  await run();
  assert.match(outline(await result()), /^Error Error 0 /);
  assert.match(
    (await result()).status?.experimentStatus?.errorOutput?.reason ?? '',
    /asks for the annotation litmuschaos\.io\/chaos=true.*found: deployment web/,
  );
  assert.deepEqual(await podUids(namespace), before);
  const annotations = { 'litmuschaos.io/chaos': 'true' };
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { metadata: { annotations } }, { namespace });
  await run({ RUN_ID: 'run2' });
  assert.match(outline(await result()), /^Completed Pass 100 1\//);
  assert.notDeepEqual(await podUids(namespace), before);
});

test('an abort stops at once, with exit code 1 and the Events of an abort', async () => {
  const { namespace, run, stop, result, resultName } = await prepare({
    env: { TOTAL_CHAOS_DURATION: '3600', CHAOS_INTERVAL: '1800' },
  });
  const running = run();
  await cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, (results) =>
    results.some(
      ({ metadata, status }) =>
        metadata.name === resultName &&
        Object.values(status?.ledger ?? {}).some(({ state }) => state === 'done'),
    ),
  );
  stop.abort(new Error('received SIGTERM'));
  const outcome = await running;
  assert.deepEqual([outcome.verdict, outcome.phase, outcome.exitCode], ['Stopped', 'Stopped', 1]);
  assert.equal(outline(await result()), 'Stopped Stopped 0 0/0/1');
  const events = await cluster.events(namespace, /^ChaosEngine Summary /, /^ChaosResult Abort /);
  assert.ok(events.includes('ChaosEngine Summary Warning ×1: pod-delete experiment has been aborted'));
  assert.ok(events.includes('ChaosResult Abort Warning ×1: pod-delete experiment has been aborted'));
});

for (const [what, over] of [
  ['stopped', { spec: { engineState: 'stop' } }],
  ['being deleted', { metadata: { finalizers: ['example.org/keep'] } }],
] as const) {
  test(`an engine that is ${what} when its experiment starts has nothing injected`, async () => {
    const { namespace, run, result } = await prepare({ env: { TOTAL_CHAOS_DURATION: '1' } });
    const before = await podUids(namespace);
    await cluster.client.patch(CHAOS_ENGINES, 'eng', 'merge', over, { namespace });
    if (what === 'being deleted') await cluster.client.delete(CHAOS_ENGINES, 'eng', { namespace });
    assert.equal((await run()).exitCode, 1);
    assert.equal(outline(await result()), 'Stopped Stopped 0 0/0/1');
    assert.deepEqual(await podUids(namespace), before);
  });
}

test('an abort before the first request leaves a result that says so', async () => {
  const { run, stop, result } = await prepare({});
  stop.abort(new Error('received SIGTERM'));
  assert.equal((await run()).exitCode, 1);
  assert.equal(outline(await result()), 'Stopped Stopped 0 0/0/1');
});

test('probes decide over the verdict', async (t) => {
  const fast = { TOTAL_CHAOS_DURATION: '2', CHAOS_INTERVAL: '2', DEFAULT_HEALTH_CHECK: 'false' };
  const cases: [string, Probe['mode'], 'present' | 'absent', boolean, string, boolean][] = [
    ['all pass', 'Edge', 'absent', true, 'Completed Pass 100 1/0/0', true],
    ['one fails at the end', 'EOT', 'present', false, 'Completed_With_Probe_Failure Fail 50 0/1/0', true],
    ['one fails before', 'SOT', 'present', false, 'Error Error 0 0/0/0', false],
    ['one that stops the run fails before', 'SOT', 'present', true, 'Stopped Stopped 0 0/0/1', false],
    ['one that stops the run fails at the end', 'EOT', 'present', true, 'Stopped Stopped 0 0/0/1', true],
  ];
  for (const [name, mode, operation, stops, expected, hit] of cases) {
    await t.test(name, async () => {
      const other = probe('other', 'EOT', 'absent', 'default');
      const { run, result } = await prepare({
        env: fast,
        probes: [probe('it', mode, operation, 'default', stops), other],
      });
      const outcome = await run();
      assert.equal(outcome.exitCode, 0);
      const object = await result();
      const seen = outline(object);
      // Where the run ended before EOT, `other` was never judged.
      assert.equal(seen, expected);
      assert.equal(steps(object).includes('Injected'), hit);
      const code = object.status?.experimentStatus?.errorOutput?.errorCode;
      assert.equal(code, expected.startsWith('Error') ? 'NOT_STEADY' : undefined);
    });
  }
});

test('a background probe that stops the run sets the engine to stop and reverts', async () => {
  const { namespace, run, result } = await prepare({
    fault: marker(),
    env: { TOTAL_CHAOS_DURATION: '100000' },
    probes: [probe('watch', 'OnChaos', 'present', 'default', true)],
  });
  const outcome = await run();
  assert.deepEqual([outcome.verdict, outcome.exitCode], ['Stopped', 1]);
  const engine = await cluster.client.get<ChaosEngine>(CHAOS_ENGINES, 'eng', { namespace });
  assert.equal(engine.spec.engineState, 'stop');
  assert.equal(outline(await result()), 'Stopped Stopped 0 0/0/1');
  assert.deepEqual(await marks(namespace), []);
});

async function marks(namespace: string): Promise<string[]> {
  const { items } = await cluster.client.list<KubeObject>(CONFIG_MAPS, { namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('marked-'));
}

test('a fault that is held is reverted; history says so', async () => {
  const { namespace, run, result } = await prepare({ fault: marker(), env: { PODS_AFFECTED_PERC: '100' } });
  assert.equal((await run()).verdict, 'Pass');
  assert.deepEqual(await marks(namespace), []);
  const { history, ledger } = (await result()).status ?? {};
  assert.deepEqual(
    history?.targets?.map(({ kind, chaosStatus }) => `${kind} ${chaosStatus}`),
    ['pod reverted', 'pod reverted'],
  );
  assert.deepEqual(
    Object.values(ledger ?? {}).map(({ state }) => state),
    ['reverted', 'reverted'],
  );
});

test('an abort reverts what is held before the run ends', async () => {
  const { namespace, run, stop, result } = await prepare({
    fault: marker(),
    env: { TOTAL_CHAOS_DURATION: '100000' },
  });
  const running = run();
  await cluster.until<KubeObject>(CONFIG_MAPS, namespace, (maps) =>
    maps.some(({ metadata }) => metadata.name.startsWith('marked-')),
  );
  stop.abort(new Error('received SIGTERM'));
  assert.equal((await running).exitCode, 1);
  assert.deepEqual(await marks(namespace), []);
  assert.equal(
    Object.values((await result()).status?.ledger ?? {}).every(({ state }) => state === 'reverted'),
    true,
  );
});

test('what an earlier run left open is reverted before anything new is injected', async () => {
  const { namespace, run, result } = await prepare({
    fault: marker(),
    env: { TARGETS: 'deployment:nowhere:[app=x]', DEFAULT_HEALTH_CHECK: 'false' },
  });
  const left: LedgerEntry = {
    id: 'run0.r0.lost',
    fault: 'marker',
    target: { kind: 'pod', namespace, name: 'lost' },
    parameters: {},
    state: 'injected',
  };
  await cluster.client.create(CONFIG_MAPS, { metadata: { name: 'marked-lost' } }, { namespace });
  await cluster.client.create<ChaosResult>(
    CHAOS_RESULTS,
    { metadata: { name: 'eng-marker' }, status: { ledger: { [left.id]: left } } },
    { namespace },
  );
  // The new run itself finds no target: what was left has to be gone all the same.
  assert.equal((await run()).verdict, 'Error');
  assert.deepEqual(await marks(namespace), []);
  const object = await result();
  assert.equal(object.status?.ledger?.[left.id]?.state, 'reverted');
  assert.deepEqual(
    steps(object).filter((step) => /Recover|Revert/.test(step)),
    ['RecoveryStarted', 'Reverted'],
  );
});

test('a dry run injects nothing, says what it would do, and is no pass', async () => {
  const { namespace, run, result } = await prepare({ spec: { dryRun: true } });
  const before_ = await podUids(namespace);
  assert.equal((await run()).verdict, 'N/A');
  assert.deepEqual(await podUids(namespace), before_);
  const { status } = await result();
  assert.deepEqual(status?.ledger, {});
  assert.equal(status?.dryRun, true);
  assert.deepEqual(status?.experimentStatus?.verdict, 'N/A');
  assert.deepEqual(
    [status?.history?.passedRuns, status?.history?.failedRuns, status?.history?.stoppedRuns],
    [0, 0, 0],
  );
  const found = steps(await result());
  for (const step of ['WouldInject', 'BlastRadius']) assert.ok(found.includes(step), step);
  assert.match(status?.plan?.summary ?? '', /^would hit \d of \d pods? of deployment t-\w+\/web \(\d+ %\)/);
  assert.equal(status?.plan?.permissions.source, 'self-subject-access-review');
  const events = await cluster.events(namespace, /^ChaosEngine DryRun /);
  assert.ok(events.some((text) => /ChaosEngine DryRun Normal .*nothing is injected: would hit/.test(text)));
  assert.ok(!events.some((text) => /Result: Pass|has been Passed/.test(text)));
});

for (const [where, change, env] of [
  ['its annotation', { [ANNOTATION_DRY_RUN]: 'true' }, {}],
  ['what kubectl applied', { [ANNOTATION_LAST_APPLIED]: '{"spec":{"dryRun":true}}' }, {}],
  ['the environment', {}, { DRY_RUN: 'true' }],
] as const) {
  test(`a dry run is known by ${where} when another writer has dropped spec.dryRun`, async () => {
    const { namespace, run, result } = await prepare({ spec: { dryRun: true }, env });
    await putAsUpstream(cluster.client, 'eng', namespace, (engine) => ({
      ...engine,
      metadata: { ...engine.metadata, annotations: { ...change } as Record<string, string> },
    }));
    const before_ = await podUids(namespace);
    assert.equal((await run()).verdict, 'N/A');
    assert.deepEqual(await podUids(namespace), before_);
    assert.equal((await result()).status?.dryRun, true);
  });
}

test('annotationCheck of the engine and what its run protects hold without a word in the environment', async () => {
  const { namespace, run, result } = await prepare({ spec: { annotationCheck: 'true' } });
  assert.equal((await run()).verdict, 'Error');
  const { status } = await result();
  assert.match(status?.experimentStatus?.errorOutput?.reason ?? '', /litmuschaos\.io\/chaos/);
  const record = { runId: 'r', settings: {}, protectedNamespaces: namespace };
  const engine = await cluster.client.get<ChaosEngine>(CHAOS_ENGINES, 'eng', { namespace });
  const annotations = { [ANNOTATION_RUN]: JSON.stringify({ ...record, uid: engine.metadata.uid }) };
  const patch = {
    metadata: { annotations },
    spec: { annotationCheck: 'false' },
    status: { engineStatus: 'initialized' },
  };
  await cluster.client.patch(CHAOS_ENGINES, 'eng', 'merge', patch, { namespace });
  assert.equal((await run({ RUN_ID: 'run2' })).verdict, 'Error');
  const again = await result();
  assert.match(
    again.status?.experimentStatus?.errorOutput?.reason ?? '',
    /protected by PROTECTED_NAMESPACES/,
  );
});

test('a run after a dry run leaves nothing of it in the result', async () => {
  const { namespace, run, result } = await prepare({ spec: { dryRun: true } });
  await run();
  await cluster.client.patch(CHAOS_ENGINES, 'eng', 'merge', { spec: { dryRun: false } }, { namespace });
  assert.equal((await run({ RUN_ID: 'run2' })).verdict, 'Pass');
  const { status } = await result();
  assert.deepEqual([status?.dryRun, status?.plan], [undefined, undefined]);
  assert.equal(status?.history?.passedRuns, 1);
});

test('a result that is deleted during the run is stored anew', async () => {
  const { namespace, run, result, resultName } = await prepare({
    env: { TOTAL_CHAOS_DURATION: '20', CHAOS_INTERVAL: '10' },
  });
  const running = run();
  await cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, (results) =>
    results.some(({ status }) => Object.keys(status?.ledger ?? {}).length > 0),
  );
  await cluster.client.delete(CHAOS_RESULTS, resultName, { namespace });
  assert.equal((await running).verdict, 'Pass');
  assert.equal(outline(await result()), 'Completed Pass 100 1/0/0');
});

test('what is known of effects stands in ledger and timeline; a verdict depends on it where the engine wants that', async () => {
  const faultWith = (seen: (name: string) => boolean | undefined): Fault =>
    marker({
      effect: async ({ target }) => {
        const found = seen(target.name);
        return found === undefined ? undefined : { seen: found, message: found ? '3 hits' : 'nobody came' };
      },
    });
  let first: string | undefined;
  const oneOfTwo = faultWith((name) => {
    first ??= name;
    return name !== first;
  });
  const rows: [string, Fault, boolean | undefined, string, number, string | undefined][] = [
    ['none, by default', faultWith(() => false), undefined, 'Completed Pass 100 1/0/0', 2, undefined],
    ['none, and one is required', faultWith(() => false), true, 'Completed Fail 0 0/1/0', 2, 'NO_EFFECT'],
    ['on one target, and one is required', oneOfTwo, true, 'Completed Pass 100 1/0/0', 1, undefined],
    ['not known', faultWith(() => undefined), undefined, 'Completed Pass 100 1/0/0', 0, undefined],
    [
      'not known, and one is required',
      faultWith(() => undefined),
      true,
      'Error Error 0 0/0/0',
      0,
      'EFFECT_UNKNOWN',
    ],
  ];
  for (const [name, fault, requireEffect, expected, without, code] of rows) {
    const scene = await prepare({
      fault,
      env: { PODS_AFFECTED_PERC: '100' },
      spec: requireEffect === undefined ? {} : { requireEffect },
    });
    const outcome = await scene.run();
    const result = await scene.result();
    assert.equal(outline(result), expected, name);
    const entries = Object.values(result.status?.ledger ?? {});
    assert.equal(entries.filter(({ effect }) => effect?.seen === false).length, without, name);
    assert.equal(steps(result).filter((step) => step === 'NoEffect').length, without, name);
    assert.equal(outcome.errorOutput?.errorCode, code, name);
    assert.match(outcome.errorOutput?.reason ?? 'pod ', /pod /, name);
    const said = result.status?.timeline?.find(({ step }) => step === 'Verdict')?.message ?? '';
    assert.equal(said.includes('no effect'), without > 0, said);
    const isUnknown = name.startsWith('not known');
    assert.equal(
      /: whether .* had an effect is not known of pod /.test(said.replace('; ', ': ')),
      isUnknown,
      said,
    );
    const { items: events } = await cluster.client.list<KubeObject & { reason?: string; message?: string }>(
      EVENTS,
      { namespace: scene.namespace },
    );
    const event = events.find(({ reason }) => reason === 'NoEffect');
    assert.equal(event?.message?.includes('nobody came') ?? false, without > 0, name);
  }
});

test('an effect that takes too long to find out keeps nothing from being reverted', async () => {
  const scene = await prepare({
    fault: marker({ effect: () => new Promise(() => {}) }),
    env: { PODS_AFFECTED_PERC: '100' },
  });
  await scene.run();
  const result = await scene.result();
  assert.equal(outline(result), 'Completed Pass 100 1/0/0');
  assert.ok(
    Object.values(result.status?.ledger ?? {}).every(
      ({ state, effect }) => state === 'reverted' && effect === undefined,
    ),
  );
  const said = result.status?.timeline?.filter(({ step }) => step === 'EffectUnknown') ?? [];
  assert.equal(said.length, 2);
  assert.match(said[0]?.message ?? '', /^whether it had an effect is not known: no answer came within \d/);
});

test('settings that ask for nothing have no effect, whatever the fault would count', async () => {
  const asked: string[] = [];
  const effect = ({ id }: { readonly id: string }) => {
    asked.push(id);
    return Promise.resolve({ seen: true, message: 'a request came' });
  };
  for (const [requireEffect, expected] of [
    [true, 'Completed Fail 0 0/1/0'],
    [false, 'Completed Pass 100 1/0/0'],
  ] as const) {
    const scene = await prepare({
      fault: marker({ effect, idleReason: () => 'SIZE is 0' }),
      env: { PODS_AFFECTED_PERC: '100' },
      spec: { requireEffect },
    });
    const { errorOutput } = await scene.run();
    const result = await scene.result();
    assert.equal(outline(result), expected);
    assert.equal(errorOutput?.errorCode, requireEffect ? 'NO_EFFECT' : undefined);
    assert.match(errorOutput?.reason ?? 'SIZE is 0', /SIZE is 0/);
    const effects = Object.values(result.status?.ledger ?? {}).map((entry) => entry.effect);
    assert.deepEqual(effects, [
      { seen: false, message: 'SIZE is 0' },
      { seen: false, message: 'SIZE is 0' },
    ]);
  }
  assert.deepEqual(asked, []);
});

test('how busy the machine was is stored with the verdict, said where it could not keep up, and of the last run only', async () => {
  const clock = new FakeClock();
  let load = 53.2;
  const pressure = { clock, cores: () => 2, load: () => load, cpuWaitPercent: () => 91.3 };
  const { run, result } = await prepare({ pressure });
  const overloads = ({ status }: ChaosResult): string[] =>
    (status?.timeline ?? []).filter(({ step }) => step === 'MachineOverloaded').map(({ message }) => message);
  assert.equal((await run()).verdict, 'Pass');
  const busy = await result();
  const time = '2030-01-01T00:00:00.000Z';
  assert.deepEqual(busy.status?.pressure, [
    {
      process: 'experiment/pod-delete',
      cores: 2,
      eventLoopLateMs: { value: 0, time },
      load: { value: 53.2, time },
      cpuWaitPercent: { value: 91.3, time },
    },
  ]);
  assert.deepEqual(overloads(busy), ['this machine was overloaded: load 53 on 2 cores']);
  assert.deepEqual(steps(busy).slice(-2), ['MachineOverloaded', 'Verdict']);
  assert.equal(clock.pending, 0, 'the run watches no longer');
  load = 0.4;
  await run({ RUN_ID: 'run2' });
  const quiet = await result();
  assert.equal(quiet.status?.pressure?.[0]?.load?.value, 0.4);
  assert.equal(overloads(quiet).length, 1, 'that of the first run');
});

test('a run whose machine is not read has no figures, also where an earlier one had some', async () => {
  const { namespace, run, result } = await prepare({});
  await run();
  const late = { value: 4000, time: '2030-01-01T00:00:00.000Z' };
  const status = { pressure: [{ process: 'experiment/pod-delete', cores: 2, eventLoopLateMs: late }] };
  await cluster.client.patch<ChaosResult>(
    CHAOS_RESULTS,
    'eng-pod-delete',
    'merge',
    { status },
    { namespace },
  );
  assert.deepEqual((await result()).status?.pressure, status.pressure, 'the schema knows the field');
  await run({ RUN_ID: 'run2' });
  assert.equal((await result()).status?.pressure, undefined);
});
