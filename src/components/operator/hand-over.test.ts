/** Several operators as processes run them: who leads, who takes over, and which namespaces each looks at. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES, NAMESPACES, PODS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { silentLogger, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  engineOf,
  NAMESPACE,
  type Run,
  type StandInCluster,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { runOperator } from './run-operator.ts';

const NO_PORTS = ['-metrics-bind-address=0', '-health-probe-bind-address=0'];

interface OperatorProcess {
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number>;
}

function start(
  context: TestContext,
  cluster: StandInCluster,
  watchNamespace: string,
  ...flags: readonly string[]
): OperatorProcess {
  const controller = new AbortController();
  const exit = runOperator(
    [...NO_PORTS, ...flags],
    { WATCH_NAMESPACE: watchNamespace },
    {
      config: cluster.config,
      logger: silentLogger,
      signal: controller.signal,
    },
  );
  const stop = (): Promise<number> => {
    controller.abort(new Error('SIGTERM'));
    return exit;
  };
  context.after(stop);
  return { stop };
}

/** Resolves to the leader, once it is another one than `before`. */
async function leader(cluster: StandInCluster, before = ''): Promise<string> {
  const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? '';
  const lease = await waitForObject<Lease>(
    cluster.client,
    LEASES,
    'chaos-operator.lock',
    (found) => holderOf(found) !== '' && holderOf(found) !== before,
    { namespace: cluster.config.namespace, timeoutMs: PATIENCE_MS },
  );
  return holderOf(lease);
}

test('hand-over: a standby takes a run over where it is, and takes new ones', async (context) => {
  const gate = Promise.withResolvers<void>();
  let started = 0;
  const gated: Run = async (program) => {
    started += 1;
    await storeResult(program, 'Running', 'Awaited');
    await Promise.race([gate.promise, untilAborted(program.signal)]);
    await storeResult(program, 'Completed', 'Pass');
    return 0;
  };
  const cluster = await startStandIn(context, { operator: false, experiment: gated });
  await cluster.experiment('pod-delete');
  const first = start(context, cluster, '', '-leader-elect');
  const before = await leader(cluster);
  start(context, cluster, '', '-leader-elect');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const running = await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
  const pods = (await cluster.pods()).map(({ metadata }) => metadata.uid).sort();

  assert.equal(await first.stop(), 0);
  assert.notEqual(await leader(cluster, before), before);
  await cluster.apply(engineOf('next', ['pod-delete']));
  await cluster.engine('next', ({ status }) => status?.experiments?.[0]?.status === 'Running');
  gate.resolve();
  const engine = await cluster.ended('web', 'completed');
  await cluster.ended('next', 'completed');
  assert.equal(engine.status?.runId, running.status?.runId, 'the same run');
  assert.equal(engine.status?.runnerAttempts, 1);
  const after = new Set((await cluster.pods()).map(({ metadata }) => metadata.uid));
  assert.ok(pods.every((uid) => after.has(uid)));
  assert.equal(started, 2, 'no experiment ran twice');
});

test('hand-over: of two that stand for election one leads, and only it acts', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  await cluster.experiment('pod-delete');
  for (let count = 0; count < 2; count++) start(context, cluster, '', '-leader-elect=true');
  await leader(cluster);
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.ended('web', 'completed');
  const events = await cluster.events('web', 'ChaosEngineCompleted');
  assert.equal(events.filter((text) => text.startsWith('chaos-operator')).length, 2, events.join('\n'));
});

test('scope: WATCH_NAMESPACE confines an operator to a namespace; empty, it works in all', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const { client } = cluster;
  const names = ['shop', 'bank'];
  for (const name of names) {
    await client.create(NAMESPACES, { metadata: { name } });
    await waitForObject(client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
      namespace: name,
      timeoutMs: PATIENCE_MS,
    });
    await client.create<ChaosEngine>(
      CHAOS_ENGINES,
      { ...engineOf('web', ['pod-delete']), metadata: { name: 'web' } },
      { namespace: name },
    );
  }
  const begun = (namespace: string): Promise<unknown> =>
    waitForObject(client, PODS, 'web-runner', (pod) => pod !== undefined, {
      namespace,
      timeoutMs: PATIENCE_MS,
    });

  const confined = start(context, cluster, 'shop');
  await begun('shop');
  assert.equal(await confined.stop(), 0);
  const other = await client.get<ChaosEngine>(CHAOS_ENGINES, 'web', { namespace: 'bank' });
  assert.deepEqual([other.status, other.metadata.finalizers], [undefined, undefined]);

  start(context, cluster, '');
  await begun('bank');
  assert.equal(await client.find(PODS, 'web-runner', { namespace: NAMESPACE }), undefined);
});
