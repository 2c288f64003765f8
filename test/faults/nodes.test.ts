/** Faults of nodes: measured at the node and its pods while they last, and afterwards. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Deployment, Node, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { ChaosResult } from '../../src/api/index.ts';
import { CLAIMS_ANNOTATION } from '../../src/faults/node/claims.ts';
import { ContainerMeter } from './support/cgroup-meter.ts';
import { FaultCluster, isReady, LOOKED_AT_SECONDS, ownNodesImpossible } from './support/fault-cluster.ts';

const LIMIT_MS = 60_000;

/** A cluster of three nodes for some tests, one after the other. Silence is noticed soon, so that it can be seen within a short fault. */
function ownCluster(use: (cluster: FaultCluster) => void): void {
  let cluster: FaultCluster | undefined;
  before(async () => {
    cluster = await FaultCluster.start(3, undefined, { nodeGraceMs: 8_000 });
    use(cluster);
  });
  after(() => cluster?.close());
}

function passed({ status }: ChaosResult): void {
  assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
  const open = Object.values(status?.ledger ?? {}).filter(({ state }) =>
    ['planned', 'injected'].includes(state),
  );
  assert.deepEqual(open, []);
}

// Nodes are stopped and switched off: those of an embedded cluster only. What one does to a node would reach the pods of others, so
// that they are one after the other in three clusters, which are beside one another: they mostly wait.
describe('faults of nodes', { skip: ownNodesImpossible, concurrency: 3 }, () => {
  describe('of what the API says of them', { concurrency: 1 }, () => {
    let cluster: FaultCluster;
    ownCluster((started) => {
      cluster = started;
    });
    const node = (name: string, isWanted: (node: Node) => boolean): Promise<Node> =>
      cluster.node(name, isWanted);

    test('node-drain: a cordoned node without the application, which runs elsewhere; then it is as before', async () => {
      const namespace = await cluster.namespace();
      await cluster.deployment(namespace, 'web', 6);
      const run = await cluster.run('node-drain', {
        namespace,
        env: { TARGET_NODE: 'turnsole-2', TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
      });
      await run.injected();
      assert.equal((await node('turnsole-2', () => true)).spec?.unschedulable, true);
      const elsewhere = await cluster.podsOf(
        namespace,
        'web',
        (all) => all.length === 6 && all.every((pod) => isReady(pod) && pod.spec?.nodeName !== 'turnsole-2'),
      );
      assert.equal(elsewhere.length, 6);
      passed(await run.ended());
      const after = await node('turnsole-2', () => true);
      assert.deepEqual(
        [after.spec?.unschedulable, after.metadata.annotations?.[CLAIMS_ANNOTATION]],
        [undefined, undefined],
      );
    });

    test('node-taint with NoExecute: pods leave, the taint goes with the abort', async () => {
      const namespace = await cluster.namespace();
      await cluster.deployment(namespace, 'web', 4);
      const run = await cluster.run('node-taint', {
        namespace,
        env: { TARGET_NODE: 'turnsole-3', TAINTS: 'chaos=yes:NoExecute', TOTAL_CHAOS_DURATION: '120' },
      });
      await run.injected();
      const tainted = await node('turnsole-3', () => true);
      assert.ok(
        tainted.spec?.taints?.some(
          ({ key, value, effect }) => `${key}=${value}:${effect}` === 'chaos=yes:NoExecute',
        ),
      );
      await cluster.podsOf(
        namespace,
        'web',
        (all) => all.length === 4 && all.every((pod) => isReady(pod) && pod.spec?.nodeName !== 'turnsole-3'),
      );
      await run.abort();
      const { status } = await run.ended();
      assert.equal(status?.experimentStatus?.verdict, 'Stopped');
      assert.deepEqual((await node('turnsole-3', () => true)).spec?.taints ?? [], []);
    });

    test('pod-autoscaler: so many pods are ready as were asked for, then as many as before', async () => {
      const namespace = await cluster.namespace();
      await cluster.deployment(namespace, 'web', 2);
      const run = await cluster.run('pod-autoscaler', {
        namespace,
        env: {
          TARGETS: `deployment:${namespace}:[app=web]`,
          REPLICA_COUNT: '5',
          TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS,
        },
      });
      await Promise.race([
        cluster.podsOf(namespace, 'web', (all) => all.length === 5 && all.every(isReady)),
        // Over before that, it says why.
        run.ended().then(passed),
      ]);
      passed(await run.ended());
      const left = await cluster.podsOf(namespace, 'web', (all) => all.length === 2 && all.every(isReady));
      assert.equal(left.length, 2);
    });

    test('a killed experiment of node-drain, node-taint or pod-autoscaler: what it had set is taken back', async () => {
      const namespace = await cluster.namespace();
      await cluster.deployment(namespace, 'web', 1);
      const duration = { TOTAL_CHAOS_DURATION: '300' };
      const isClean = ({ spec, metadata }: Node): boolean =>
        spec?.unschedulable !== true &&
        metadata.annotations?.[CLAIMS_ANNOTATION] === undefined &&
        (spec?.taints ?? []).every(({ key }) => key !== 'chaos');
      const wanted = async (): Promise<number | undefined> =>
        (await cluster.client.get<Deployment>(DEPLOYMENTS, 'web', { namespace })).spec?.replicas;
      const table: readonly { readonly fault: string; readonly env: Record<string, string> }[] = [
        { fault: 'node-drain', env: { TARGET_NODE: 'turnsole-3' } },
        { fault: 'node-taint', env: { TARGET_NODE: 'turnsole-3', TAINTS: 'chaos=yes:NoSchedule' } },
        {
          fault: 'pod-autoscaler',
          env: { TARGETS: `deployment:${namespace}:[app=web]`, REPLICA_COUNT: '3' },
        },
      ];
      for (const { fault, env } of table) {
        const run = await cluster.run(fault, { namespace, env: { ...duration, ...env } });
        await run.injected();
        if (fault === 'pod-autoscaler') assert.equal(await wanted(), 3);
        else assert.ok(!isClean(await node('turnsole-3', () => true)), fault);
        const { items } = await cluster.client.list<Pod>(PODS, { namespace, labelSelector: `name=${fault}` });
        const experiment = items.find(
          ({ metadata, status }) => metadata.name.startsWith(fault) && status?.phase === 'Running',
        );
        assert.ok(experiment, fault);
        const { pid } = await ContainerMeter.of(experiment, experiment.spec?.containers[0]?.name);
        process.kill(pid, 'SIGKILL');
        await node('turnsole-3', isClean);
        await waitForObject<Deployment>(
          cluster.client,
          DEPLOYMENTS,
          'web',
          (one) => one?.spec?.replicas === 1,
          {
            namespace,
            timeoutMs: LIMIT_MS,
          },
        );
      }
    });
  });

  describe('of their services', { concurrency: 1 }, () => {
    let cluster: FaultCluster;
    ownCluster((started) => {
      cluster = started;
    });
    const node = (name: string, isWanted: (node: Node) => boolean): Promise<Node> =>
      cluster.node(name, isWanted);

    test('kubelet-service-kill: the node falls silent, its pods go on, and it is ready again', async () => {
      const namespace = await cluster.namespace();
      const stays = await cluster.pod(namespace, 'stays', {}, { nodeName: 'turnsole-2' });
      const run = await cluster.run('kubelet-service-kill', {
        namespace,
        env: { TARGET_NODE: 'turnsole-2', TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
      });
      await node('turnsole-2', (one) => readyOf(one) === 'Unknown');
      const [entry] = await run.injected();
      assert.equal(entry?.target.name, 'turnsole-2');
      passed(await run.ended());
      await node('turnsole-2', (one) => readyOf(one) === 'True');
      const pod = await cluster.until(namespace, 'stays', isReady);
      assert.equal(
        pod.status?.containerStatuses?.[0]?.containerID,
        stays.status?.containerStatuses?.[0]?.containerID,
      );
    });

    test('kubelet-service-kill ends at once when it is aborted', async () => {
      const namespace = await cluster.namespace();
      const run = await cluster.run('kubelet-service-kill', {
        namespace,
        env: { TARGET_NODE: 'turnsole-3', TOTAL_CHAOS_DURATION: '300' },
      });
      await run.injected();
      const stopped = await node('turnsole-3', () => true);
      assert.equal(stopped.metadata.annotations?.['turnsole.io/node-agent'], 'stopped');
      await run.abort();
      await node(
        'turnsole-3',
        ({ metadata }) => metadata.annotations?.['turnsole.io/node-agent'] === undefined,
      );
      const { status } = await run.ended();
      assert.equal(status?.experimentStatus?.verdict, 'Stopped');
      await node('turnsole-3', (one) => readyOf(one) === 'True');
    });

    test('a killed helper of kubelet-service-kill: the node starts its kubelet by itself when the lease is over', async () => {
      const namespace = await cluster.namespace();
      const run = await cluster.run('kubelet-service-kill', {
        namespace,
        env: { TARGET_NODE: 'turnsole-2', TOTAL_CHAOS_DURATION: '300', LEASE_SECONDS: '4' },
      });
      await run.injected();
      const { items } = await cluster.client.list<Pod>(PODS, { namespace });
      const helper = items.find(({ metadata }) => metadata.name.includes('-helper-'));
      assert.ok(helper);
      const { pid } = await ContainerMeter.of(helper, 'kubelet-service-kill');
      process.kill(pid, 'SIGKILL');
      await node(
        'turnsole-2',
        ({ metadata }) => metadata.annotations?.['turnsole.io/node-agent'] === undefined,
      );
      await node('turnsole-2', (one) => readyOf(one) === 'True');
      const { status } = await run.ended();
      assert.equal(status?.experimentStatus?.verdict, 'Error', JSON.stringify(status?.experimentStatus));
      const states = Object.values(status?.ledger ?? {}).map(({ state }) => state);
      assert.deepEqual(states, ['reverted']);
    });

    test('docker-service-kill: the node says that its runtime is down, starts nothing, and is ready again', async () => {
      const namespace = await cluster.namespace();
      const run = await cluster.run('docker-service-kill', {
        namespace,
        env: { TARGET_NODE: 'turnsole-2', TOTAL_CHAOS_DURATION: '5' },
      });
      const down = await node('turnsole-2', (one) => readyOf(one) === 'False');
      assert.match(
        down.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
        /runtime is down/,
      );
      passed(await run.ended());
      await node('turnsole-2', (one) => readyOf(one) === 'True');
    });
  });

  describe('switched off', { concurrency: 1 }, () => {
    let cluster: FaultCluster;
    ownCluster((started) => {
      cluster = started;
    });
    const node = (name: string, isWanted: (node: Node) => boolean): Promise<Node> =>
      cluster.node(name, isWanted);

    for (const { name, command, isOff } of [
      { name: 'node-restart', command: 'sudo systemctl reboot; true', isOff: false },
      {
        name: 'node-restart with poweroff',
        command: '"sudo systemctl poweroff --force --force" ; true',
        isOff: true,
      },
    ]) {
      test(`${name}: the pods of the node die and come back with it`, async () => {
        const namespace = await cluster.namespace();
        const old = await cluster.pod(namespace, 'dies', {}, { nodeName: 'turnsole-3' });
        const booted = (await node('turnsole-3', () => true)).status?.nodeInfo?.bootID;
        const run = await cluster.run('node-restart', {
          namespace,
          nodeSelector: { 'kubernetes.io/hostname': 'turnsole-1' },
          env: {
            TARGET_NODE: 'turnsole-3',
            REBOOT_COMMAND: command,
            TOTAL_CHAOS_DURATION: isOff ? LOOKED_AT_SECONDS : '5',
          },
        });
        await node(
          'turnsole-3',
          ({ metadata }) => metadata.annotations?.['turnsole.io/node-agent'] === 'off',
        );
        if (isOff) await node('turnsole-3', (one) => readyOf(one) === 'Unknown');
        passed(await run.ended());
        await node('turnsole-3', (one) => readyOf(one) === 'True' && one.status?.nodeInfo?.bootID !== booted);
        const pod = await cluster.until(
          namespace,
          'dies',
          (one) => isReady(one) && one.status?.containerStatuses?.[0]?.restartCount === 1,
        );
        assert.notEqual(
          pod.status?.containerStatuses?.[0]?.containerID,
          old.status?.containerStatuses?.[0]?.containerID,
        );
      });
    }

    test('node-restart does not end its own experiment', async () => {
      const namespace = await cluster.namespace();
      const run = await cluster.run('node-restart', {
        namespace,
        nodeSelector: { 'kubernetes.io/hostname': 'turnsole-2' },
        env: { TARGET_NODE: 'turnsole-2', TOTAL_CHAOS_DURATION: '5' },
      });
      const { status } = await run.ended();
      assert.equal(status?.experimentStatus?.verdict, 'Error');
      assert.match(
        status?.experimentStatus?.errorOutput?.reason ?? '',
        /cannot hit node turnsole-2: the pod of this experiment runs there and would go with it/,
      );
    });
  });
});

function readyOf({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
