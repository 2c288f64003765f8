/** Held faults follow their workload: what the ledger says of each target, against what its pods themselves say. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { type ChaosResult, isOpen, type LedgerEntry } from '../../src/api/index.ts';
import { locateContainer } from '../../src/experiment/node/container-locator.ts';
import { helperProcesses } from './support/cgroup-meter.ts';
import { effectsImpossible, FaultCluster, LIMIT_MS, sideBySide } from './support/fault-cluster.ts';
import { ForceWatch, statusAsked } from './support/force-watch.ts';
import { interceptorsOf } from './support/interceptors.ts';
import { restartRollout, webDeployment, webStatefulSet } from './support/web-deployment.ts';

const SECONDS = 30;
const HTTP = { STATUS_CODE: '500', TARGET_SERVICE_PORT: '8080' };

function entriesOf({ status }: ChaosResult): LedgerEntry[] {
  return Object.values(status?.ledger ?? {});
}

function endsOf(result: ChaosResult): string[] {
  return entriesOf(result)
    .flatMap(({ inForce = [] }) => inForce.map(({ ended = 'never' }) => ended))
    .toSorted();
}

function story({ status }: ChaosResult): string {
  const { experimentStatus, coverage, timeline, ledger } = status ?? {};
  return JSON.stringify({ experimentStatus, coverage, timeline, ledger }, undefined, 1);
}

describe('held faults follow their workload', {
  skip: effectsImpossible,
  concurrency: sideBySide(2),
}, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start(2);
  });
  after(() => cluster?.close());

  /** @param minimumCoverage 0 where the machine may be too busy to start a helper in a tenth of the time */
  async function begin(
    fault: string,
    env: Readonly<Record<string, string>>,
    replicas = 2,
    minimumCoverage?: number,
    kind: 'deployment' | 'statefulset' = 'deployment',
  ) {
    const namespace = await cluster.namespace();
    await (kind === 'deployment' ? webDeployment : webStatefulSet)(cluster, namespace, replicas);
    const run = await cluster.run(fault, {
      namespace,
      engine: minimumCoverage === undefined ? {} : { minimumCoverage },
      env: {
        TARGETS: `${kind}:${namespace}:[app=web]`,
        PODS_AFFECTED_PERC: '100',
        TOTAL_CHAOS_DURATION: String(SECONDS),
        ...env,
      },
    });
    await run.injected(replicas);
    return { namespace, run };
  }

  test('a rollout in the middle: the new pods answer as the old ones did, until the end', async () => {
    const { namespace, run } = await begin('pod-http-status-code', HTTP, 2, 0);
    await using watch = new ForceWatch(cluster.client, namespace, statusAsked(500));
    await restartRollout(cluster, namespace);
    const result = await run.ended();
    const { status } = result;
    assert.equal(status?.experimentStatus?.verdict, 'Pass', story(result));
    assert.deepEqual([status?.coverage?.targets, status?.coverage?.hit], [2, 2], story(result));
    assert.ok((status?.coverage?.percent ?? 0) >= 50, story(result));
    assert.deepEqual(endsOf(result), ['PodGone', 'PodGone', 'Reverted', 'Reverted'], story(result));
    watch.assertAgrees(entriesOf(result));
    assert.match(
      status?.timeline?.at(-1)?.message ?? '',
      /ended with verdict Pass, in force on 2 of 2 pods, and on 2 that came later, for [\d.]+ of 30 s/,
    );
  });

  test('without FOLLOW_WORKLOAD the window ends with the pods, and the run is no Pass', async () => {
    const { namespace, run } = await begin('pod-http-status-code', { ...HTTP, FOLLOW_WORKLOAD: 'false' });
    await using watch = new ForceWatch(cluster.client, namespace, statusAsked(500));
    await restartRollout(cluster, namespace);
    const result = await run.ended();
    const { experimentStatus } = result.status ?? {};
    assert.equal(experimentStatus?.verdict, 'Error', story(result));
    assert.equal(experimentStatus?.errorOutput?.errorCode, 'LOW_COVERAGE');
    assert.match(
      experimentStatus?.errorOutput?.reason ?? '',
      /for [\d.]+ of 30 s.*the pod was gone after [\d.]+ s/,
    );
    assert.deepEqual(endsOf(result), ['PodGone', 'PodGone']);
    watch.assertAgrees(entriesOf(result));
  });

  for (const [fault, env] of [
    ['pod-network-loss', { NETWORK_PACKET_LOSS_PERCENTAGE: '100' }],
    ['pod-cpu-hog', { CPU_CORES: '1', CPU_LOAD: '20' }],
    ['pod-cpu-hog-exec', { CPU_CORES: '1' }],
  ] as const) {
    test(`${fault}: a pod that is deleted is followed`, async () => {
      const { namespace, run } = await begin(fault, env, 2, 0);
      const [first] = await cluster.podsOf(namespace, 'web', (pods) => pods.length === 2);
      await cluster.client.delete(PODS, first?.metadata.name ?? '', { namespace });
      const result = await run.ended();
      assert.equal(result.status?.experimentStatus?.verdict, 'Pass', story(result));
      assert.deepEqual(endsOf(result), ['PodGone', 'Reverted', 'Reverted'], story(result));
      assert.equal(result.status?.coverage?.followed, 1);
    });
  }

  test('a workload that is scaled to nothing is no Pass', async () => {
    const { namespace, run } = await begin('pod-http-status-code', HTTP);
    await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { replicas: 0 } }, { namespace });
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.errorOutput?.errorCode, 'LOW_COVERAGE', story(result));
    assert.equal(result.status?.coverage?.followed, 0);
    const [workload] = result.status?.workloads ?? [];
    assert.deepEqual([workload?.name, workload?.readyBefore, workload?.lowestReady], ['web', 2, 0]);
    assert.ok((workload?.noneReadySeconds ?? 0) > 5, story(result));
    assert.match(
      result.status?.timeline?.at(-1)?.message ?? '',
      /deployment\/web had no ready pod for [\d.]+ s/,
    );
  });

  test('a load whose container restarts has two windows', async () => {
    const { namespace, run } = await begin('pod-cpu-hog', { CPU_CORES: '1', CPU_LOAD: '20' }, 1, 0);
    const [pod] = await cluster.podsOf(namespace, 'web', (pods) => pods.length === 1);
    const id = pod?.status?.containerStatuses?.[0]?.containerID ?? '';
    process.kill((await locateContainer(id)).pid, 'SIGKILL');
    const result = await run.ended();
    const [entry] = entriesOf(result);
    const windows = entry?.inForce?.map(({ ended }) => ended);
    assert.deepEqual(windows, ['ContainerRestarted', 'Reverted'], story(result));
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', story(result));
  });

  test('a helper that is killed ends the windows of its targets, and of those alone', async () => {
    const { namespace, run } = await begin('pod-http-status-code', HTTP, 1);
    await using watch = new ForceWatch(cluster.client, namespace, statusAsked(500));
    process.kill(await cluster.helperProcess(namespace), 'SIGKILL');
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Error');
    assert.deepEqual(endsOf(result), ['HelperLost'], story(result));
    watch.assertAgrees(entriesOf(result));
  });

  test('an interceptor that stands still for longer than its rules last: the window has a gap', async () => {
    const { namespace, run } = await begin('pod-http-status-code', HTTP, 1, 0);
    await using watch = new ForceWatch(cluster.client, namespace, statusAsked(500));
    const [pod] = await cluster.podsOf(namespace, 'web', (pods) => pods.length === 1);
    assert.ok(pod);
    const [interceptor = 0] = await interceptorsOf(pod);
    assert.ok(interceptor > 0);
    const ask = statusAsked(500);
    process.kill(interceptor, 'SIGSTOP');
    let healedMs = 0;
    try {
      await until(async () => (await ask(pod)) === false, 'its rules do not expire');
      healedMs = Date.now();
    } finally {
      process.kill(interceptor, 'SIGCONT');
    }
    const result = await run.ended();
    const [before, after] = entriesOf(result)[0]?.inForce ?? [];
    assert.deepEqual([before?.ended, after?.ended], ['NotRenewed', 'Reverted'], story(result));
    assert.ok(Date.parse(before?.to ?? '') <= healedMs, story(result));
    assert.ok(Date.parse(after?.from ?? '') >= healedMs, story(result));
    watch.assertAgrees(entriesOf(result));
  });

  test('a pod of a StatefulSet that comes back under its name is hit again', async () => {
    const { namespace, run } = await begin('pod-http-status-code', HTTP, 2, 0, 'statefulset');
    await using watch = new ForceWatch(cluster.client, namespace, statusAsked(500));
    await cluster.client.delete(PODS, 'web-0', { namespace });
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', story(result));
    const windows = entriesOf(result)
      .map(({ target, inForce = [] }) => `${target.name} ${inForce.map(({ ended }) => ended).join()}`)
      .toSorted();
    assert.deepEqual(windows, ['web-0 PodGone', 'web-0 Reverted', 'web-1 Reverted'], story(result));
    const uids = new Set(entriesOf(result).map(({ target }) => target.uid));
    assert.equal(uids.size, 3, story(result));
    const { coverage, timeline = [] } = result.status ?? {};
    assert.deepEqual([coverage?.targets, coverage?.hit, coverage?.followed], [2, 2, 1], story(result));
    const followed = timeline.find(({ step }) => step === 'TargetFollowed');
    assert.match(followed?.object ?? '', /web-0/);
    assert.match(followed?.message ?? '', /takes the place of .*web-0/);
    watch.assertAgrees(entriesOf(result));
    await watch.assertOver();
  });

  type Begun = Awaited<ReturnType<typeof begin>>;
  /** Moments of a helper that joins, each with what resolves then, and whether its fault has come into force by then. */
  const JOINING: readonly (readonly [string, (begun: Begun, uid: string) => Promise<unknown>, boolean])[] = [
    ['has just begun', () => Promise.resolve(), false],
    ['has planned', ({ run }, uid) => run.until((one) => stateOf(one, uid) !== undefined), false],
    ['has its fault in force', ({ run }, uid) => run.until((one) => stateOf(one, uid) === 'injected'), true],
  ];
  for (const [moment, reached, isInForce] of JOINING) {
    test(`a helper that joins and is killed when it ${moment} leaves nothing, and the verdict knows`, async () => {
      const begun = await begin('pod-http-status-code', HTTP, 1, 0);
      const { namespace, run } = begun;
      await using watch = new ForceWatch(cluster.client, namespace, statusAsked(500));
      const [first] = await cluster.podsOf(namespace, 'web', (pods) => pods.length === 1);
      const others = new Set(helperProcesses(namespace));
      await cluster.client.delete(PODS, first?.metadata.name ?? '', { namespace });
      let joined: number | undefined;
      await until(() => {
        joined = helperProcesses(namespace).find((pid) => !others.has(pid));
        return joined !== undefined;
      }, 'no helper joins');
      const [next] = await cluster.podsOf(namespace, 'web', (pods) => pods.length === 1);
      await reached(begun, next?.metadata.uid ?? '');
      process.kill(joined ?? 0, 'SIGKILL');
      const result = await run.ended();
      const ends = endsOf(result);
      assert.deepEqual(
        entriesOf(result).filter((entry) => isOpen(entry)),
        [],
      );
      watch.assertAgrees(entriesOf(result));
      await watch.assertOver();
      const { verdict, errorOutput } = result.status?.experimentStatus ?? {};
      if (isInForce || ends.includes('HelperLost')) {
        assert.deepEqual([verdict, errorOutput?.errorCode], ['Error', 'HELPER_ERROR'], story(result));
        assert.deepEqual(ends, ['HelperLost', 'PodGone'], story(result));
        return;
      }
      // It did not come into force, which ends nothing: another one joins.
      assert.equal(verdict, 'Pass', story(result));
      assert.deepEqual(ends, ['PodGone', 'Reverted'], story(result));
      const failed = result.status?.timeline?.find(({ step }) => step === 'FollowFailed');
      assert.match(failed?.message ?? '', /could not be hit, and counts as not hit: .*helper pod/);
    });
  }

  test('an abort while a replacement is being hit leaves nothing in force', async () => {
    const { namespace, run } = await begin('pod-http-status-code', { ...HTTP, TOTAL_CHAOS_DURATION: '60' });
    await restartRollout(cluster, namespace);
    await run.until(({ status }) => status?.timeline?.some(({ step }) => step === 'TargetFollowed') === true);
    await run.abort();
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Stopped');
    assert.deepEqual(
      entriesOf(result).filter(({ state }) => state === 'planned' || state === 'injected'),
      [],
    );
    const until = Date.now() + LIMIT_MS;
    const ask = statusAsked(500);
    for (const pod of await cluster.podsOf(namespace, 'web', (pods) => pods.every(isUp))) {
      while ((await ask(pod)) === true && Date.now() < until);
      assert.notEqual(await ask(pod), true, `${pod.metadata.name} is still under the fault`);
    }
  });
});

function stateOf(result: ChaosResult, uid: string): LedgerEntry['state'] | undefined {
  return entriesOf(result).find(({ target }) => target.uid === uid)?.state;
}

function isUp({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.podIP !== undefined;
}
