import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type ExperimentCluster,
  fastClock,
  startExperimentCluster,
} from '../../../test/support/experiment-cluster.ts';
import {
  CHAOS_RESULTS,
  type ChaosResult,
  CONFIG_MAPS,
  type KubeObject,
  type LedgerEntry,
  PODS,
  type Pod,
} from '../../api/index.ts';
import { silentLogger } from '../../kube/runtime/log.ts';
import type { Fault } from '../fault.ts';
import { type ExperimentOutcome, runExperiment } from '../run-experiment.ts';
import { marker } from '../testing/marker-fault.ts';
import { runHelperPod } from '../testing/stand-in-helper.ts';

/** Faults by name, for the stand-in of the node agent that starts helpers. */
const faults = new Map<string, Fault>();
let cluster: ExperimentCluster;
const endings: (() => Promise<void>)[] = [];

function work(pod: Pod, signal: AbortSignal): ReturnType<typeof runHelperPod> {
  const faultOf = (name: string): Fault => {
    const found = faults.get(name);
    assert.ok(found !== undefined);
    return found;
  };
  return runHelperPod(cluster, faultOf, pod, signal);
}

before(async () => {
  cluster = await startExperimentCluster(
    { after: (hook) => void endings.push(hook as () => Promise<void>) },
    work,
  );
});
after(async () => {
  for (const end of endings) await end();
});

async function prepare(change: Partial<Fault>, env: Record<string, string> = {}) {
  const fault = marker({ where: 'node', ...change });
  faults.set(fault.name, fault);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  const engine = await cluster.engine(namespace, fault.name);
  const stop = new AbortController();
  const run = (): Promise<ExperimentOutcome> =>
    runExperiment({
      fault,
      env: {
        CHAOSENGINE: 'eng',
        CHAOS_UID: engine.metadata.uid,
        CHAOS_NAMESPACE: namespace,
        RUN_ID: 'run1',
        TARGETS: `deployment:${namespace}:[app=web]`,
        PODS_AFFECTED_PERC: '100',
        TOTAL_CHAOS_DURATION: '10',
        STATUS_CHECK_TIMEOUT: '300',
        ...env,
      },
      client: cluster.client,
      clock: fastClock(),
      random: Math.random,
      signal: stop.signal,
      logger: silentLogger,
    });
  return { namespace, run, stop, fault, result: () => cluster.result(namespace, `eng-${fault.name}`) };
}

async function marks(namespace: string): Promise<string[]> {
  const { items } = await cluster.client.list<KubeObject>(CONFIG_MAPS, { namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('marked-'));
}

async function helperPods(namespace: string): Promise<readonly Pod[]> {
  const { items } = await cluster.client.list<Pod>(PODS, { namespace });
  return items.filter(({ metadata }) => metadata.name.includes('-helper-'));
}

test('a helper injects, holds and reverts; the experiment knows from the ledger', async () => {
  const { namespace, run, result } = await prepare({ name: 'held' });
  const outcome = await run();
  assert.deepEqual([outcome.verdict, outcome.exitCode], ['Pass', 0]);
  assert.deepEqual(await marks(namespace), []);
  const { status, metadata } = await result();
  assert.deepEqual(
    Object.values(status?.ledger ?? {}).map(({ state }) => state),
    ['reverted', 'reverted'],
  );
  assert.deepEqual(
    status?.history?.targets?.map(({ kind, chaosStatus }) => `${kind} ${chaosStatus}`),
    ['pod reverted', 'pod reverted'],
  );
  assert.deepEqual(metadata.annotations ?? {}, {});
  const steps = [...new Set((status?.timeline ?? []).map(({ step }) => step))];
  assert.deepEqual(steps, [
    'ExperimentStarted',
    'HealthChecked',
    'HelperCreated',
    'ChaosStarted',
    'ChaosEnded',
    'Verdict',
  ]);
  assert.equal((await helperPods(namespace)).length, 1);
  const events = await cluster.events(namespace);
  assert.ok(events.some((line) => line.startsWith('ChaosEngine ChaosInject Normal')));
});

test('in serial mode each target has a helper of its own; with the clean-up policy none is left', async () => {
  const { namespace, run, result } = await prepare(
    { name: 'serial' },
    { SEQUENCE: 'serial', JOB_CLEANUP_POLICY: 'delete' },
  );
  assert.equal((await run()).verdict, 'Pass');
  const created = (await result()).status?.timeline?.filter(({ step }) => step === 'HelperCreated') ?? [];
  assert.equal(new Set(created.map(({ object }) => object)).size, 2);
  await cluster.until<Pod>(
    PODS,
    namespace,
    (pods) => !pods.some(({ metadata }) => metadata.name.includes('-helper-')),
  );
});

test('what goes wrong in a helper stands in the result, with the pod it happened in', async () => {
  const { namespace, run, result } = await prepare({
    name: 'failing',
    inject: () => Promise.reject(new Error('no such qdisc')),
  });
  const outcome = await run();
  assert.deepEqual([outcome.verdict, outcome.phase], ['Error', 'Error']);
  const output = (await result()).status?.experimentStatus?.errorOutput;
  const [pod] = await helperPods(namespace);
  // Two targets, two errors.
  const reasons = JSON.parse(output?.reason ?? '') as { source: string; errorCode: string; reason: string }[];
  assert.equal(output?.errorCode, 'CHAOS_INJECT_ERROR');
  assert.equal(reasons.length, 2);
  assert.match(reasons[0]?.reason ?? '', /cannot inject failing into pod .*no such qdisc/);
  assert.match(reasons[0]?.source ?? '', /^failing-helper-/);
  assert.ok(pod === undefined || pod.metadata.name === reasons[0]?.source);
});

test('an abort ends the helpers, which revert before the run is over', async () => {
  const { namespace, run, stop, result } = await prepare(
    { name: 'aborted' },
    { TOTAL_CHAOS_DURATION: '100000' },
  );
  const running = run();
  await cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, (results) =>
    results.some(({ status }) =>
      Object.values(status?.ledger ?? {}).some(({ state }) => state === 'injected'),
    ),
  );
  stop.abort(new Error('received SIGTERM'));
  assert.equal((await running).exitCode, 1);
  assert.deepEqual(await marks(namespace), []);
  const { experimentStatus, history, ledger } = (await result()).status ?? {};
  assert.equal(experimentStatus?.verdict, 'Stopped');
  assert.deepEqual(
    Object.values(ledger ?? {}).map(({ state }) => state),
    ['reverted', 'reverted'],
  );
  assert.deepEqual(
    history?.targets?.map(({ chaosStatus }) => chaosStatus),
    ['reverted', 'reverted'],
  );
});

test('a helper whose run is over reverts although nobody tells it', async () => {
  const { namespace, run, stop, result } = await prepare(
    { name: 'orphan' },
    { TOTAL_CHAOS_DURATION: '100000' },
  );
  const running = run();
  await cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, (results) =>
    results.some(({ status }) =>
      Object.values(status?.ledger ?? {}).some(({ state }) => state === 'injected'),
    ),
  );
  const { metadata } = await result();
  const over = { status: { experimentStatus: { phase: 'Stopped', verdict: 'Stopped' } } };
  await cluster.client.patch(CHAOS_RESULTS, metadata.name, 'merge', over, { namespace });
  await cluster.until<KubeObject>(
    CONFIG_MAPS,
    namespace,
    (maps) => !maps.some(({ metadata: { name } }) => name.startsWith('marked-')),
  );
  stop.abort(new Error('end of the test'));
  await running;
});

test('what a lost helper left on its node is reverted by another one there, before anything new', async () => {
  const { namespace, run, result, fault } = await prepare(
    { name: 'lost' },
    { TARGETS: 'deployment:nowhere:[app=x]', DEFAULT_HEALTH_CHECK: 'false' },
  );
  const left: LedgerEntry = {
    id: 'run0.r0.gone',
    fault: fault.name,
    target: { kind: 'pod', namespace, name: 'gone', node: 'node-1' },
    parameters: {},
    state: 'injected',
  };
  await cluster.client.create(CONFIG_MAPS, { metadata: { name: 'marked-gone' } }, { namespace });
  await cluster.client.create<ChaosResult>(
    CHAOS_RESULTS,
    { metadata: { name: `eng-${fault.name}` }, status: { ledger: { [left.id]: left } } },
    { namespace },
  );
  assert.equal((await run()).verdict, 'Error');
  assert.deepEqual(await marks(namespace), []);
  assert.equal((await result()).status?.ledger?.[left.id]?.state, 'reverted');
});
