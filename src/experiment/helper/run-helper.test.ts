import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@turnsole/kube/base/log';
import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { CHAOS_RESULTS, type ChaosResult, type LedgerEntry } from '../../api/index.ts';
import { InjectError } from '../injection/errors.ts';
import type { Fault } from '../injection/fault.ts';
import { chaosInterval } from '../injection/settings/common-tunables.ts';
import { marker } from '../injection/testing/marker-fault.ts';
import { runHelperPod } from '../injection/testing/stand-in-helper.ts';
import { untilInjected } from '../injection/testing/until-injected.ts';
import { type ExperimentOutcome, runExperiment } from '../run/run-experiment.ts';
import { ASSIGNMENT_VARIABLE, parseAssignment } from './assignment.ts';

/** Faults by name, for the stand-in of the node agent that starts helpers. */
const faults = new Map<string, Fault>();
let cluster: ExperimentCluster;

/** Nodes whose helpers die once they have injected, as by SIGKILL. */
const deadly = new Set<string>();

/** What a killed helper leaves: the effect and its ledger entry, and no word. */
async function dieAfterInjecting(pod: Pod): Promise<'Failed'> {
  const text = pod.spec?.containers[0]?.env?.find(({ name }) => name === ASSIGNMENT_VARIABLE)?.value;
  const { fault, runId, result, targets, round = 0 } = parseAssignment(text);
  const { namespace = '' } = pod.metadata;
  const now = new Date().toISOString();
  for (const target of targets) {
    await cluster.client.create(CONFIG_MAPS, { metadata: { name: `marked-${target.name}` } }, { namespace });
    const id = `${runId}.r${round}.${target.name}`;
    const entry: LedgerEntry = {
      ...{ id, fault, target, parameters: {}, state: 'injected', injectedAt: now },
      inForce: [{ from: now }],
    };
    const patch = { status: { ledger: { [id]: entry } } };
    await cluster.client.patch<ChaosResult>(CHAOS_RESULTS, result, 'merge', patch, { namespace });
  }
  return 'Failed';
}

/** Nodes that are removed for good once their helper has injected. */
const removed = new Set<string>();

async function removeNode(pod: Pod): Promise<'Failed'> {
  await dieAfterInjecting(pod);
  await cluster.client.delete(NODES, pod.spec?.nodeName ?? '');
  return 'Failed';
}

/** Nodes that have no room for pods with requests. */
const full = new Set<string>();

async function refuse(pod: Pod): Promise<'Failed'> {
  const { name, namespace } = pod.metadata;
  const status = { reason: 'OutOfcpu', message: 'Node has no cpu left' };
  await cluster.client.patch<Pod>(PODS, name, 'merge', { status }, { namespace, subresource: 'status' });
  return 'Failed';
}

/** Nodes that stop answering once their helper runs. */
const silent = new Set<string>();

/** Nodes that stop answering once their helper has injected. */
const lonely = new Set<string>();

/** Nodes that do not answer for a while after their helper has begun, before it injects. */
const absent = new Set<string>();

async function setReady({ metadata: { name, namespace } }: Pod, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: '2030-01-01T00:00:00Z' }];
  const change = { status: { conditions } };
  await cluster.client.patch<Pod>(PODS, name, 'merge', change, { namespace, subresource: 'status' });
}

/** What is seen of a pod on such a node: it runs as far as anybody knows, and is not ready. */
async function fallSilent(pod: Pod, signal: AbortSignal): Promise<'Failed'> {
  await setReady(pod, 'False');
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return 'Failed';
}

function work(pod: Pod, signal: AbortSignal): ReturnType<typeof runHelperPod> {
  const text = pod.spec?.containers[0]?.env?.find(({ name }) => name === ASSIGNMENT_VARIABLE)?.value;
  const node = pod.spec?.nodeName ?? '';
  if (text !== undefined && parseAssignment(text).recover === undefined) {
    if (deadly.has(node)) return dieAfterInjecting(pod);
    if (removed.has(node)) return removeNode(pod);
    if (lonely.has(node)) return dieAfterInjecting(pod).then(() => fallSilent(pod, signal));
  }
  const requests = pod.spec?.containers[0]?.resources?.requests;
  if (text !== undefined && full.has(pod.spec?.nodeName ?? '') && requests !== undefined) return refuse(pod);
  if (text !== undefined && silent.has(pod.spec?.nodeName ?? '')) return fallSilent(pod, signal);
  const faultOf = (name: string): Fault => {
    const found = faults.get(name);
    assert.ok(found !== undefined);
    return found;
  };
  if (text === undefined || !absent.has(node)) return runHelperPod(cluster, faultOf, pod, signal);
  const begins = async (): ReturnType<typeof runHelperPod> => {
    await setReady(pod, 'False');
    await delay(ABSENT_MS);
    await setReady(pod, 'True');
    await delay(LATE_MS);
    return runHelperPod(cluster, faultOf, pod, signal);
  };
  return begins();
}

/** The clocks of experiments run 50 times as fast: a few seconds, and longer than a silent node is waited for. */
const ABSENT_MS = 50;
const LATE_MS = 700;

shareExperimentCluster((started) => {
  cluster = started;
}, work);

async function prepare(change: Partial<Fault>, env: Record<string, string> = {}) {
  const fault = marker({ where: 'node', ...change });
  faults.set(fault.name, fault);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  const engine = await cluster.engine(namespace, fault.name);
  const stop = new AbortController();
  const run = (more: Record<string, string> = {}): Promise<ExperimentOutcome> =>
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
        ...more,
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
  // The states of the pods come in between when their watch reports them.
  const allSteps = (status?.timeline ?? []).map(({ step }) => step);
  const steps = [...new Set(allSteps.filter((step) => !step.startsWith('Pod')))];
  assert.deepEqual(steps, [
    'ExperimentStarted',
    'HealthChecked',
    'HelperCreated',
    'Injected',
    'Reverted',
    'ChaosStarted',
    'ChaosEnded',
    'Verdict',
  ]);
  assert.equal((await helperPods(namespace)).length, 1);
  await cluster.events(namespace, /^ChaosEngine ChaosInject Normal/);
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
  await untilInjected(cluster, namespace, running);
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

test('a helper whose run is over reverts without a signal', async () => {
  const { namespace, run, stop, result } = await prepare(
    { name: 'orphan' },
    { TOTAL_CHAOS_DURATION: '100000' },
  );
  const running = run();
  await untilInjected(cluster, namespace, running);
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

test('a helper that repeats its fault ends with its run, and leaves no entry open', async () => {
  let hits = 0;
  const { namespace, run, stop, result } = await prepare(
    {
      name: 'repeated',
      shape: 'pulse',
      tunables: { CHAOS_INTERVAL: chaosInterval(1, 'Between hits.') },
      inject: async () => {
        hits += 1;
      },
      revert: () => Promise.resolve(),
    },
    { TOTAL_CHAOS_DURATION: '100000' },
  );
  const running = run();
  await cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, (results) =>
    results.some(({ status }) => Object.values(status?.ledger ?? {}).length > 4),
  );
  const { metadata, status: before } = await result();
  assert.ok(before?.lease?.renewTime !== undefined, 'the experiment says that it lives');
  const over = { status: { experimentStatus: { phase: 'Error', verdict: 'Error' } } };
  await cluster.client.patch(CHAOS_RESULTS, metadata.name, 'merge', over, { namespace });
  await cluster.until<Pod>(PODS, namespace, (pods) =>
    pods.some(({ metadata: { name }, status }) => name.includes('-helper-') && status?.phase === 'Succeeded'),
  );
  const atEnd = hits;
  const states = Object.values((await result()).status?.ledger ?? {}).map(({ state }) => state);
  assert.deepEqual(
    states.filter((state) => state === 'planned' || state === 'injected'),
    [],
  );
  await delay(100);
  assert.equal(hits, atEnd);
  stop.abort(new Error('end of the test'));
  await running;
});

test('a new helper reverts what a lost helper left on its node, before it injects anything', async () => {
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
    inForce: [{ from: '2026-01-01T00:00:00.000Z' }],
  };
  await cluster.client.create(CONFIG_MAPS, { metadata: { name: 'marked-gone' } }, { namespace });
  const lease = { renewTime: '2026-01-01T00:00:20.000Z' };
  await cluster.client.create<ChaosResult>(
    CHAOS_RESULTS,
    { metadata: { name: `eng-${fault.name}` }, status: { lease, ledger: { [left.id]: left } } },
    { namespace },
  );
  assert.equal((await run()).verdict, 'Error');
  assert.deepEqual(await marks(namespace), []);
  const entry = (await result()).status?.ledger?.[left.id];
  assert.equal(entry?.state, 'reverted');
  // The helper that reverts it knows nothing of the time since the last sign of life of that run.
  assert.deepEqual(entry?.inForce, [
    { from: '2026-01-01T00:00:00.000Z', to: lease.renewTime, ended: 'HelperLost' },
  ]);
});

test('a helper that dies while its fault is in force is made good for at once, and the others go on', async (t) => {
  deadly.add('node-2');
  t.after(() => deadly.delete('node-2'));
  const { namespace, run, result } = await prepare({ name: 'killed' });
  const other = { nodeName: 'node-2', containers: [{ name: 'app', image: 'app:1' }] };
  await cluster.client.create(NODES, { metadata: { name: 'node-2' } });
  await cluster.client.create<Pod>(
    PODS,
    { metadata: { name: 'away', labels: { app: 'web' } }, spec: other },
    { namespace },
  );
  await cluster.readyPods(namespace, 'web', 3);
  const outcome = await run({ TARGETS: `KIND:${namespace}:[app=web]` });
  const { status } = await result();
  assert.equal(outcome.verdict, 'Error');
  assert.equal(status?.experimentStatus?.errorOutput?.errorCode, 'HELPER_ERROR');
  assert.match(
    status?.experimentStatus?.errorOutput?.reason ?? '',
    /helper pod killed-helper-.* failed \(Completed, exit code 1\)/,
  );
  assert.deepEqual(await marks(namespace), []);
  const entries = Object.values(status?.ledger ?? {});
  assert.deepEqual(
    entries.map(({ state }) => state),
    ['reverted', 'reverted', 'reverted'],
  );
  const steps = (status?.timeline ?? []).map(({ step }) => step);
  assert.ok(steps.includes('HelperLost'), steps.join());
  const reverted = (name: string): string =>
    entries.find(({ target }) => (target.name === 'away') === (name === 'away'))?.revertedAt ?? '';
  assert.ok(reverted('away') < reverted('others'), 'the lost one is reverted while the others go on');
  const ends = entries.map(({ target, inForce }) => `${target.node} ${inForce?.map(({ ended }) => ended)}`);
  assert.deepEqual(ends.toSorted(), ['node-1 Reverted', 'node-1 Reverted', 'node-2 HelperLost']);
});

test('a node that is gone for good takes with it what was held there', async (t) => {
  removed.add('node-3');
  t.after(() => removed.delete('node-3'));
  const { namespace, run, result } = await prepare({ name: 'removed' });
  await cluster.client.create(NODES, { metadata: { name: 'node-3' } });
  const spec = { nodeName: 'node-3', containers: [{ name: 'app', image: 'app:1' }] };
  const metadata = { name: 'away', labels: { app: 'web' } };
  await cluster.client.create<Pod>(PODS, { metadata, spec }, { namespace });
  await cluster.readyPods(namespace, 'web', 3);
  assert.equal((await run({ TARGETS: `KIND:${namespace}:[app=web]` })).verdict, 'Error');
  const { status } = await result();
  const away = Object.values(status?.ledger ?? {}).find(({ target }) => target.name === 'away');
  assert.deepEqual(
    [away?.state, away?.message, away?.inForce?.map(({ ended }) => ended)],
    ['reverted', 'node node-3 is no more, and with it what was injected there', ['HelperLost']],
  );
});

/** Moves a Deployment to another node. */
async function moveTo(node: string, namespace: string): Promise<void> {
  await cluster.client.create(NODES, { metadata: { name: node } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const template = { spec: { nodeName: node } };
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { template } }, { namespace });
}

test('a helper that joins and whose node then stops answering is lost: its window is not that of the helper that reverts', async (t) => {
  lonely.add('node-2');
  t.after(() => lonely.delete('node-2'));
  const { namespace, run, result } = await prepare(
    { name: 'lonely' },
    { TOTAL_CHAOS_DURATION: '300', STATUS_CHECK_TIMEOUT: '600' },
  );
  const running = run();
  await untilInjected(cluster, namespace, running);
  await moveTo('node-2', namespace);
  const outcome = await running;
  const { status } = await result();
  const entries = Object.values(status?.ledger ?? {});
  const story = JSON.stringify(status, undefined, 1);
  const joined = entries.filter(({ target }) => target.node === 'node-2');
  assert.ok(joined.length > 0, story);
  for (const { state, inForce } of joined) {
    assert.equal(state, 'reverted', story);
    assert.deepEqual(
      inForce?.map(({ ended }) => ended),
      ['HelperLost'],
      story,
    );
  }
  assert.deepEqual(
    [outcome.verdict, status?.experimentStatus?.errorOutput?.errorCode],
    ['Error', 'HELPER_ERROR'],
    story,
  );
  assert.match(status?.experimentStatus?.errorOutput?.reason ?? '', /node node-2 has stopped answering/);
  assert.deepEqual(await marks(namespace), []);
});

test('a helper that fails before its fault is in force ends the others', async () => {
  const { namespace, run, result } = await prepare({
    name: 'refused',
    inject: ({ target }) => Promise.reject(new InjectError(`${target.name} will not`)),
  });
  const outcome = await run();
  assert.equal(outcome.verdict, 'Error');
  const steps = ((await result()).status?.timeline ?? []).map(({ step }) => step);
  assert.ok(!steps.includes('HelperLost'), steps.join());
  assert.deepEqual(await marks(namespace), []);
});

test('a node that stops answering ends the run after its time, and is named', async (t) => {
  silent.add('node-1');
  t.after(() => silent.delete('node-1'));
  const { run, result } = await prepare({ name: 'silent' });
  assert.equal((await run()).verdict, 'Error');
  const { errorCode, reason } = (await result()).status?.experimentStatus?.errorOutput ?? {};
  assert.equal(errorCode, 'HELPER_ERROR');
  assert.match(
    reason ?? '',
    /node node-1 has stopped answering while helper pod silent-helper-.* was working there.*kubectl describe node/,
  );
  // Words of the waiting inside say nothing to a reader of the result.
  const texts = ((await result()).status?.timeline ?? []).map(({ message }) => message);
  assert.doesNotMatch([reason, ...texts].join(' '), /waited [\d.]+ ms|resourceVersion/);
});

test('a node that answers again is no lost one: its helper has the time of any other', async (t) => {
  absent.add('node-1');
  t.after(() => absent.delete('node-1'));
  const { run, result } = await prepare({ name: 'absent' });
  const outcome = await run();
  const { status } = await result();
  assert.equal(outcome.verdict, 'Pass', JSON.stringify(status, undefined, 1));
  const ends = Object.values(status?.ledger ?? {}).flatMap(({ inForce = [] }) =>
    inForce.map((window) => window.ended),
  );
  assert.deepEqual(ends, ['Reverted', 'Reverted']);
});

test('what cannot be reverted on a node that does not answer stays open, and pod, node and cure are named', async (t) => {
  silent.add('node-1');
  t.after(() => silent.delete('node-1'));
  const { namespace, run, result, fault } = await prepare({ name: 'stuck' });
  const left: LedgerEntry = {
    id: 'run0.r0.gone',
    fault: fault.name,
    target: { kind: 'pod', namespace, name: 'gone', node: 'node-1' },
    parameters: {},
    state: 'injected',
  };
  await cluster.client.create<ChaosResult>(
    CHAOS_RESULTS,
    { metadata: { name: `eng-${fault.name}` }, status: { ledger: { [left.id]: left } } },
    { namespace },
  );
  assert.equal((await run()).verdict, 'Error');
  const { status } = await result();
  assert.equal(status?.ledger?.[left.id]?.state, 'injected');
  const reason = status?.experimentStatus?.errorOutput?.reason ?? '';
  assert.match(
    reason,
    /pod\/\S*gone \(node node-1\): helper pod \S+ has not ended within 35 s: .*kubectl describe node.*ledger entries stay open/,
  );
  assert.doesNotMatch(reason, /waited [\d.]+ ms|resourceVersion/);
});

test('a helper for which its node has no room is tried again without requests', async (t) => {
  full.add('node-1');
  t.after(() => full.delete('node-1'));
  const { namespace, run, result } = await prepare({ name: 'crowded' });
  assert.equal((await run()).verdict, 'Pass');
  assert.deepEqual(await marks(namespace), []);
  const lines = ((await result()).status?.timeline ?? []).filter(({ step }) => step === 'HelperRefused');
  assert.match(
    lines.map(({ message }) => message).join(),
    /^node node-1 has no room for helper pod crowded-helper-.* \(OutOfcpu: Node has no cpu left\); trying again/,
  );
});
