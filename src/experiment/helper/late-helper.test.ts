/**
 * An abort wins over an injection that has not begun, and a probe waits for one that has: on one of two nodes the helper starts late, and
 * hears of nothing that is sent to it meanwhile, as a process that has no handler for signals yet.
 */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { Deployment, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosResult, type Probe } from '../../api/index.ts';
import { marker } from '../injection/testing/marker-fault.ts';
import { runHelperPod } from '../injection/testing/stand-in-helper.ts';
import { untilInjected } from '../injection/testing/until-injected.ts';
import { runExperiment } from '../run/run-experiment.ts';

const LATE_NODE = 'node-2';
const fault = marker({ where: 'node', name: 'late' });
/** By namespace: what opens it lets its late helper start. */
const gates = new Map<string, PromiseWithResolvers<void>>();
/** By namespace: resolves when the late helper has ended. */
const ended = new Map<string, PromiseWithResolvers<'Succeeded' | 'Failed' | undefined>>();

let cluster: ExperimentCluster;
shareExperimentCluster(
  (started) => {
    cluster = started;
  },
  async (pod, signal) => {
    const { namespace = '', name } = pod.metadata;
    const isLate = name.includes('-helper-') && pod.spec?.nodeName === LATE_NODE;
    if (!isLate) return runHelperPod(cluster, () => fault, pod, signal);
    await gates.get(namespace)?.promise;
    const ending = await runHelperPod(cluster, () => fault, pod, new AbortController().signal);
    ended.get(namespace)?.resolve(ending);
    return ending;
  },
);

/** A pod on each of two nodes. */
async function deployments(namespace: string): Promise<void> {
  await cluster.client.create(NODES, { metadata: { name: LATE_NODE } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  for (const node of ['node-1', LATE_NODE]) {
    const labels = { app: 'web', node };
    const template = {
      metadata: { labels },
      spec: { nodeName: node, containers: [{ name: 'app', image: 'app:1' }] },
    };
    await cluster.client.create<Deployment>(
      DEPLOYMENTS,
      {
        metadata: { name: `web-${node}`, labels },
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      },
      { namespace },
    );
  }
  await cluster.readyPods(namespace, 'web', 2);
}

/** Its existence fails the probe. */
const ALARM = { name: 'alarm', labels: { alarm: 'on' } };

/** Holds until the alarm is there. */
function probe(namespace: string): Probe {
  return {
    name: 'watch',
    type: 'k8sProbe',
    mode: 'OnChaos',
    'k8sProbe/inputs': {
      version: 'v1',
      resource: 'configmaps',
      namespace,
      labelSelector: 'alarm=on',
      operation: 'absent',
    },
    runProperties: { probeTimeout: '600s', interval: '1s', stopOnFailure: true },
  };
}

async function prepare(t: TestContext, stopOnFailure: boolean) {
  const namespace = await cluster.namespace();
  gates.set(namespace, Promise.withResolvers());
  ended.set(namespace, Promise.withResolvers());
  await deployments(namespace);
  const probes = stopOnFailure ? [probe(namespace)] : [];
  const engine = await cluster.engine(namespace, fault.name, {
    experiments: [{ name: fault.name, spec: { probe: probes } }],
  });
  const stop = new AbortController();
  const running = runExperiment({
    fault,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid,
      CHAOS_NAMESPACE: namespace,
      RUN_ID: 'run1',
      TARGETS: `deployment:${namespace}:[app=web]`,
      PODS_AFFECTED_PERC: '100',
      TOTAL_CHAOS_DURATION: '100000',
      STATUS_CHECK_TIMEOUT: '300',
    },
    client: cluster.client,
    clock: fastClock(),
    random: Math.random,
    signal: stop.signal,
    logger: silentLogger,
  });
  running.catch(() => {});
  // A test that fails before its end leaves no run or helper that the cluster would wait for.
  t.after(() => {
    stop.abort(new Error('the test is over'));
    gates.get(namespace)?.resolve();
  });
  return { namespace, stop, running };
}

/** Resolves when the result of a run is as wanted. */
async function until(namespace: string, isWanted: (result: ChaosResult) => boolean): Promise<void> {
  await cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, (results) => results.some(isWanted));
}

const ofNode =
  (node: string) =>
  ({ target }: { readonly target: { readonly node?: string } }): boolean =>
    target.node === node;

async function marked(namespace: string): Promise<string[]> {
  const { items } = await cluster.client.list<KubeObject>(CONFIG_MAPS, { namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('marked-'));
}

const patchEngine = (namespace: string): Promise<unknown> =>
  cluster.client.patch(CHAOS_ENGINES, 'eng', 'merge', { spec: { engineState: 'stop' } }, { namespace });

const ABORTS: readonly [string, (namespace: string, stop: AbortController) => Promise<unknown>][] = [
  ['the engine is stopped', patchEngine],
  ['the engine is deleted', (namespace) => cluster.client.delete(CHAOS_ENGINES, 'eng', { namespace })],
  ['the experiment is stopped', async (_, stop) => stop.abort(new Error('received SIGTERM'))],
  [
    'a probe stops the run',
    (namespace) => cluster.client.create(CONFIG_MAPS, { metadata: ALARM }, { namespace }),
  ],
];
for (const [how, abort] of ABORTS) {
  test(`a helper that is still starting injects nothing after an abort: ${how}`, async (t) => {
    const { namespace, stop, running } = await prepare(t, how === 'a probe stops the run');
    // The first node is hit, the helper of the other one is there and has not begun.
    await untilInjected(cluster, namespace, running, ofNode('node-1'));
    await cluster.until<Pod>(PODS, namespace, (pods) =>
      pods.some(({ metadata, spec }) => metadata.name.includes('-helper-') && spec?.nodeName === LATE_NODE),
    );
    await abort(namespace, stop);
    await until(namespace, ({ status }) => status?.lease?.revoked === true);
    gates.get(namespace)?.resolve();
    assert.equal(await ended.get(namespace)?.promise, 'Failed');
    const outcome = await running;
    assert.equal(outcome.verdict, 'Stopped');
    assert.deepEqual(await marked(namespace), []);
    const { status } = await cluster.result(namespace, `eng-${fault.name}`);
    const entries = Object.values(status?.ledger ?? {});
    assert.deepEqual(
      entries.filter(ofNode(LATE_NODE)).filter(({ injectedAt }) => injectedAt !== undefined),
      [],
    );
    // Everything that was done is reported, in spite of the abort, and nothing else.
    const done = (status?.timeline ?? []).filter(({ step }) => ['Injected', 'Reverted'].includes(step));
    const [first] = entries.filter(ofNode('node-1'));
    assert.deepEqual(
      done.map(({ step, object, time }) => [step, object, time]),
      [
        ['Injected', `pod/${namespace}/${first?.target.name}`, first?.injectedAt],
        ['Reverted', `pod/${namespace}/${first?.target.name}`, first?.revertedAt],
      ],
    );
  });
}

test('after an abort the timeline holds every step of all nodes, with its time', async (t) => {
  const { namespace, running } = await prepare(t, false);
  await untilInjected(cluster, namespace, running, ofNode('node-1'));
  await cluster.until<Pod>(PODS, namespace, (pods) =>
    pods.some(({ metadata, spec }) => metadata.name.includes('-helper-') && spec?.nodeName === LATE_NODE),
  );
  gates.get(namespace)?.resolve();
  await untilInjected(cluster, namespace, running, ofNode(LATE_NODE));
  await patchEngine(namespace);
  await running;
  assert.deepEqual(await marked(namespace), []);
  // All targets of all nodes, each with both of its steps.
  const { status } = await cluster.result(namespace, `eng-${fault.name}`);
  const entries = Object.values(status?.ledger ?? {});
  assert.equal(entries.length, 2);
  for (const step of ['Injected', 'Reverted'] as const) {
    const lines = (status?.timeline ?? []).filter((line) => line.step === step);
    const known = entries.map(({ injectedAt, revertedAt }) =>
      step === 'Injected' ? injectedAt : revertedAt,
    );
    assert.deepEqual(lines.map(({ time }) => time).sort(), known.sort(), step);
  }
});
