/** node-drain and node-taint against an API server with controllers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { NODES, POD_DISRUPTION_BUDGETS, PODS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, startExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import type { Fault, FaultContext } from '../../experiment/injection/fault.ts';
import { runExperiment } from '../../experiment/run/run-experiment.ts';
import { CLAIMS_ANNOTATION } from './claims.ts';
import { nodeDrain } from './node-drain.ts';
import { nodeTaint } from './node-taint.ts';

const OTHER = { key: 'dedicated', value: 'db', effect: 'NoSchedule' };

async function start(
  cluster: ExperimentCluster,
  fault: Fault,
  namespace: string,
  env: Record<string, string>,
) {
  const engine = await cluster.engine(namespace, fault.name);
  const stop = new AbortController();
  const outcome = runExperiment({
    fault,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid,
      CHAOS_NAMESPACE: namespace,
      TARGET_NODE: 'node-1',
      DEFAULT_HEALTH_CHECK: 'false',
      TOTAL_CHAOS_DURATION: '60',
      ...env,
    },
    client: cluster.client,
    clock: fastClock(),
    random: () => 0,
    signal: stop.signal,
    logger: silentLogger,
  });
  return { outcome, stop };
}

const nodeIs = async (cluster: ExperimentCluster, isWanted: (node: Node) => boolean): Promise<Node> => {
  const nodes = await cluster.until<Node>(NODES, '', (all) => all.some(isWanted));
  const node = nodes.find(isWanted);
  assert.ok(node);
  return node;
};

/** The taints but those that controllers set for a node that no agent reports on. */
const foreign = ({ spec }: Node) =>
  (spec?.taints ?? [])
    .filter(({ key }) => !key.startsWith('node.kubernetes.io/'))
    .map(({ key, value, effect }) => ({ key, value, effect }));

const contextOf = ({ client }: ExperimentCluster): FaultContext => ({
  client,
  clock: fastClock(),
  random: () => 0,
  signal: new AbortController().signal,
  recoveryTimeoutMs: 1000,
  note: () => {},
});

test('a drained node is cordoned, its pods leave but for chaos, and it is taken back', async (t) => {
  const cluster = await startExperimentCluster(t);
  const { client } = cluster;
  const namespace = await cluster.namespace();
  const onTheNode = (name: string, labels: Record<string, string>): Pod => ({
    metadata: { name, labels },
    spec: { nodeName: 'node-1', containers: [{ name: 'a', image: 'a' }] },
  });
  await cluster.until(SERVICE_ACCOUNTS, namespace, (accounts) => accounts.length > 0);
  // Pods of no workload: those of a deployment whose template names the node would come back there for as long as it is drained.
  for (const name of ['web-0', 'web-1']) {
    await client.create<Pod>(PODS, onTheNode(name, { app: 'web' }), { namespace });
  }
  const before = await cluster.readyPods(namespace, 'web', 2);
  await client.create<Pod>(PODS, onTheNode('own', { chaosUID: 'u' }), { namespace });
  const { outcome } = await start(cluster, nodeDrain, namespace, {});
  const held = await nodeIs(cluster, ({ spec }) => spec?.unschedulable === true);
  assert.match(held.metadata.annotations?.[CLAIMS_ANNOTATION] ?? '', /cordon/);
  const gone = new Set(before.map(({ metadata }) => metadata.uid));
  await cluster.until<Pod>(PODS, namespace, (pods) => !pods.some(({ metadata }) => gone.has(metadata.uid)));
  await client.get(PODS, 'own', { namespace });
  const { verdict } = await outcome;
  const { status } = await cluster.result(namespace, 'eng-node-drain');
  assert.equal(verdict, 'Pass', JSON.stringify(status?.experimentStatus));
  const after = await client.get<Node>(NODES, 'node-1');
  assert.equal(after.spec?.unschedulable, undefined);
  assert.equal(after.metadata.annotations?.[CLAIMS_ANNOTATION], undefined);
  assert.ok(
    status?.timeline?.some(
      ({ step, message }) => step === 'Drained' && /own \(it belongs to a run/.test(message),
    ),
  );
  assert.deepEqual(
    status?.history?.targets?.map(({ name, kind, chaosStatus }) => [name, kind, chaosStatus]),
    [['node-1', 'node', 'reverted']],
  );
  const [entry] = Object.values(status?.ledger ?? {});
  assert.equal(entry?.effect?.message, '2 pods were evicted');
});

for (const [fault, env, said] of [
  [nodeDrain as Fault, {}, /^no pod had to leave the node/],
  [nodeTaint as Fault, { TAINTS: 'a=b:NoExecute' }, /^there was no pod on the node/],
  [nodeTaint as Fault, { TAINTS: 'a=b:NoSchedule' }, undefined],
] as const) {
  test(`${fault.name} of a node without pods ${JSON.stringify(env)}: what is known of its effect`, async (t) => {
    const cluster = await startExperimentCluster(t);
    const namespace = await cluster.namespace();
    const { outcome } = await start(cluster, fault, namespace, { ...env, TOTAL_CHAOS_DURATION: '5' });
    assert.equal((await outcome).verdict, 'Pass');
    const { status } = await cluster.result(namespace, `eng-${fault.name}`);
    const [entry] = Object.values(status?.ledger ?? {});
    assert.equal(entry?.effect?.seen, said && false);
    if (said !== undefined) assert.match(entry?.effect?.message ?? '', said);
  });
}

test('a budget that lets no pod go ends the drain with its name, and the node is taken back', async (t) => {
  const cluster = await startExperimentCluster(t);
  const { client } = cluster;
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  const budget = {
    metadata: { name: 'all' },
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
  };
  await client.create(POD_DISRUPTION_BUDGETS, budget, { namespace });
  await cluster.until<Pod & { status?: { expectedPods?: number } }>(
    POD_DISRUPTION_BUDGETS,
    namespace,
    ([one]) => one?.status?.expectedPods === 2,
  );
  const { outcome } = await start(cluster, nodeDrain, namespace, { TOTAL_CHAOS_DURATION: '20' });
  const { verdict, errorOutput } = await outcome;
  assert.equal(verdict, 'Error');
  assert.equal(errorOutput?.errorCode, 'CHAOS_INJECT_ERROR');
  assert.match(errorOutput?.reason ?? '', /node-1 is not drained after 20 s: pod .*web-.*disruption budget/);
  assert.equal((await client.get<Node>(NODES, 'node-1')).spec?.unschedulable, undefined);
  await cluster.readyPods(namespace, 'web', 2);
});

test('a node that another client has cordoned stays cordoned', async (t) => {
  const cluster = await startExperimentCluster(t);
  const namespace = await cluster.namespace();
  await cluster.client.patch(NODES, 'node-1', 'merge', { spec: { unschedulable: true } });
  const { outcome } = await start(cluster, nodeDrain, namespace, { TOTAL_CHAOS_DURATION: '5' });
  assert.equal((await outcome).verdict, 'Pass');
  assert.equal((await cluster.client.get<Node>(NODES, 'node-1')).spec?.unschedulable, true);
});

test('taints are set beside those of others, and go alone; chaos on the node tolerates them', async (t) => {
  const cluster = await startExperimentCluster(t);
  const { client } = cluster;
  const namespace = await cluster.namespace();
  await client.patch(NODES, 'node-1', 'merge', { spec: { taints: [OTHER] } });
  // Pods need the account that a controller makes for each namespace.
  await cluster.until(SERVICE_ACCOUNTS, namespace, (accounts) => accounts.length > 0);
  const pods = ['own', 'plain'].map((name) =>
    client.create<Pod>(
      PODS,
      {
        metadata: { name, labels: name === 'own' ? { chaosUID: 'u' } : {} },
        spec: { nodeName: 'node-1', containers: [{ name: 'a', image: 'a' }] },
      },
      { namespace },
    ),
  );
  await Promise.all(pods);
  const { outcome, stop } = await start(cluster, nodeTaint, namespace, {
    TAINTS: 'chaos=yes:NoExecute,dedicated=db:NoSchedule',
    TOTAL_CHAOS_DURATION: '600',
  });
  const held = await nodeIs(cluster, ({ spec }) => spec?.taints?.some(({ key }) => key === 'chaos') === true);
  assert.deepEqual(foreign(held), [OTHER, { key: 'chaos', value: 'yes', effect: 'NoExecute' }]);
  await cluster.until<Pod>(PODS, namespace, (all) => !all.some(({ metadata }) => metadata.name === 'plain'));
  const own = await client.get<Pod>(PODS, 'own', { namespace });
  assert.equal(own.metadata.deletionTimestamp, undefined);
  stop.abort();
  assert.equal((await outcome).verdict, 'Stopped');
  const after = await client.get<Node>(NODES, 'node-1');
  assert.deepEqual(foreign(after), [OTHER]);
});

test('taints of that key and effect with another value, and bad ones, are refused before anything is touched', async (t) => {
  const cluster = await startExperimentCluster(t);
  await cluster.client.patch(NODES, 'node-1', 'merge', { spec: { taints: [OTHER] } });
  const table: readonly { readonly env: Record<string, string>; readonly reason: RegExp }[] = [
    {
      env: { TAINTS: 'dedicated=web:NoSchedule' },
      reason: /cannot taint node node-1 with dedicated=web:NoSchedule/,
    },
    { env: { TAINTS: '' }, reason: /TAINTS is not set; expected/ },
    { env: { TAINTS: 'a=b:Never' }, reason: /TAINTS is .*a=b:Never/ },
    { env: { TAINTS: 'a=b', TARGET_NODE: 'node-9' }, reason: /no node named node-9/ },
    { env: { TAINTS: 'a=b', TOTAL_CHAOS_DURATION: '0' }, reason: /TOTAL_CHAOS_DURATION is .*0/ },
  ];
  for (const { env, reason } of table) {
    const name = await cluster.namespace();
    const { outcome } = await start(cluster, nodeTaint, name, env);
    const { verdict, errorOutput } = await outcome;
    assert.equal(verdict, 'Error');
    assert.match(errorOutput?.reason ?? '', reason);
  }
  const after = await cluster.client.get<Node>(NODES, 'node-1');
  assert.deepEqual([foreign(after), after.metadata.annotations?.[CLAIMS_ANNOTATION]], [[OTHER], undefined]);
});

for (const { fault, parameters } of [
  { fault: nodeDrain as Fault, parameters: {} },
  { fault: nodeTaint as Fault, parameters: { taints: [{ key: 'a', value: 'b', effect: 'NoExecute' }] } },
]) {
  test(`${fault.name}: inject and revert may come twice, alone, and when the node is gone or new`, async (t) => {
    const cluster = await startExperimentCluster(t);
    const { client } = cluster;
    const context = contextOf(cluster);
    const injection = { id: 'r.r0.node-1', target: { kind: 'node', name: 'node-1' }, parameters };
    const seen = async () => {
      const node = await client.get<Node>(NODES, 'node-1');
      return { cordoned: node.spec?.unschedulable === true, taints: foreign(node) };
    };
    const clean = { cordoned: false, taints: [] };
    await fault.revert(injection, context);
    assert.deepEqual(await seen(), clean, 'revert alone');
    await fault.inject(injection, context);
    const held = await seen();
    assert.notDeepEqual(held, clean);
    await fault.inject(injection, context);
    assert.deepEqual(await seen(), held);
    await fault.revert(injection, context);
    await fault.revert(injection, context);
    assert.deepEqual(await seen(), clean);
    await client.delete(NODES, 'node-1');
    await fault.revert(injection, context);
    await client.create<Node>(NODES, { metadata: { name: 'node-1' }, spec: { unschedulable: true } });
    await fault.revert(injection, context);
    assert.deepEqual(await seen(), { ...clean, cordoned: true }, 'a new node has nothing of ours');
  });
}
