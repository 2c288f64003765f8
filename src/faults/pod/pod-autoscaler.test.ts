import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { Deployment, StatefulSet } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, startExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import type { InjectionTarget } from '../../api/index.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { runExperiment } from '../../experiment/run/run-experiment.ts';
import { selectWorkloads } from '../../experiment/targets/resolve-workloads.ts';
import { podAutoscaler } from './pod-autoscaler.ts';
import { SCALED_ANNOTATION, scale, unscale } from './scale-workload.ts';

function workload(
  name: string,
  replicas?: number,
  metadata: Partial<Deployment['metadata']> = {},
): Deployment {
  return {
    metadata: { name, namespace: 'ns', resourceVersion: '7', ...metadata },
    // Only what is looked at.
    spec: { ...(replicas === undefined ? {} : { replicas }), template: {} } as NonNullable<
      Deployment['spec']
    >,
  };
}

describe('scaling', () => {
  test('the original number is written down in the same patch', () => {
    assert.deepEqual(scale(workload('web', 3), 'a', 5), {
      metadata: { resourceVersion: '7', annotations: { [SCALED_ANNOTATION]: '{"id":"a","replicas":3}' } },
      spec: { replicas: 5 },
    });
  });
  test('no number means one', () => {
    assert.match(
      scale(workload('web'), 'a', 5)?.metadata.annotations[SCALED_ANNOTATION] ?? '',
      /"replicas":1/,
    );
  });
  const annotations = { [SCALED_ANNOTATION]: '{"id":"a","replicas":3}' };
  test('a second time changes nothing; another run is refused with what it would hide', () => {
    assert.equal(scale(workload('web', 5, { annotations }), 'a', 5), undefined);
    assert.throws(
      () => scale(workload('web', 5, { annotations }), 'b', 7),
      /ns\/web is scaled by another run of chaos \(a\)/,
    );
  });
  test('only what this injection has scaled is scaled back', () => {
    assert.deepEqual(unscale(workload('web', 9, { annotations }), 'a'), {
      metadata: { resourceVersion: '7', annotations: { [SCALED_ANNOTATION]: null } },
      spec: { replicas: 3 },
    });
    assert.equal(unscale(workload('web', 5, { annotations }), 'b'), undefined);
    assert.equal(unscale(workload('web', 5), 'a'), undefined);
  });
  test('a damaged annotation is no licence to guess', () => {
    for (const text of ['x', '{}', '{"id":"a"}', '{"id":"a","replicas":1.5}']) {
      const damaged = workload('web', 5, { annotations: { [SCALED_ANNOTATION]: text } });
      assert.throws(() => unscale(damaged, 'a'), /cannot be read; set spec.replicas as it should be/);
    }
  });
});

describe('which workloads', () => {
  const entry = { kind: 'deployment', namespace: 'ns', names: [], selector: undefined };
  const found = (...names: string[]) =>
    names.map((name) => ({ kind: 'deployment', workload: workload(name, 1) }));
  const names = (targets: readonly InjectionTarget[]) => targets.map(({ name }) => name);

  test('a share, at least one, in the order of their names', () => {
    const all = found('d', 'b', 'a', 'c');
    for (const [percentage, expected] of [
      [100, ['a', 'b', 'c', 'd']],
      [150, ['a', 'b', 'c', 'd']],
      [50, ['a', 'b']],
      [30, ['a']],
      [0, ['a']],
    ] as const) {
      const targets = selectWorkloads({ entries: [entry], percentage }, [{ entry, workloads: all }]);
      assert.deepEqual(names(targets), expected);
    }
  });
  test('named ones, each once', () => {
    const named = { ...entry, names: ['b', 'a'] };
    const twice = [named, named].map((one) => ({ entry: one, workloads: found('a', 'b', 'c') }));
    assert.deepEqual(names(selectWorkloads({ entries: [], percentage: 100 }, twice)), ['a', 'b']);
  });
  test('the operator is left out, and refused by name', () => {
    const operator = {
      kind: 'deployment',
      workload: workload('op', 1, { labels: { name: 'chaos-operator' } }),
    };
    const workloads = [...found('a'), operator];
    assert.deepEqual(names(selectWorkloads({ entries: [], percentage: 100 }, [{ entry, workloads }])), ['a']);
    const named = { ...entry, names: ['op', 'x'] };
    assert.throws(
      () => selectWorkloads({ entries: [], percentage: 100 }, [{ entry: named, workloads }]),
      /deployment ns\/op is no target: it is the chaos operator; there is no deployment ns\/x/,
    );
  });
  test('nothing found, nothing named', () => {
    assert.throws(
      () => selectWorkloads({ entries: [], percentage: 100 }, [{ entry, workloads: [] }]),
      /no workload found/,
    );
    assert.throws(() => selectWorkloads({ entries: [], percentage: 100 }, []), /TARGETS is not set/);
  });
  test('under annotationCheck, those that agree', () => {
    const willing = { kind: 'deployment', workload: workload('b', 1, { annotations: { chaos: 'true' } }) };
    const optIn = { key: 'chaos', value: 'true' };
    const workloads = [...found('a'), willing];
    assert.deepEqual(
      names(selectWorkloads({ entries: [], percentage: 100, optIn }, [{ entry, workloads }])),
      ['b'],
    );
  });
});

async function start(cluster: ExperimentCluster, namespace: string, env: Record<string, string>) {
  const engine = await cluster.engine(namespace, 'pod-autoscaler');
  const stop = new AbortController();
  const outcome = runExperiment({
    fault: podAutoscaler,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid,
      CHAOS_NAMESPACE: namespace,
      TARGETS: `deployment:${namespace}:[app=web]`,
      REPLICA_COUNT: '5',
      TOTAL_CHAOS_DURATION: '60',
      STATUS_CHECK_TIMEOUT: '500',
      ...env,
    },
    client: cluster.client,
    clock: fastClock(),
    random: () => 0,
    signal: stop.signal,
    logger: silentLogger,
  });
  const after = async () => {
    const { spec, metadata } = await cluster.client.get<Deployment>(DEPLOYMENTS, 'web', { namespace });
    return { replicas: spec?.replicas, note: metadata.annotations?.[SCALED_ANNOTATION] };
  };
  return { outcome, stop, after };
}

test('replicas come and go, for all that match; the verdict waits for them', async (t) => {
  const cluster = await startExperimentCluster(t);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  await cluster.deployment(namespace, 'spare', 1);
  const { outcome, after } = await start(cluster, namespace, { REPLICA_COUNT: '4' });
  await cluster.readyPods(namespace, 'web', 4);
  const { verdict } = await outcome;
  const { status } = await cluster.result(namespace, 'eng-pod-autoscaler');
  assert.equal(verdict, 'Pass', JSON.stringify(status?.experimentStatus));
  assert.deepEqual(await after(), { replicas: 2, note: undefined });
  assert.deepEqual(
    status?.history?.targets?.map(({ name, kind, chaosStatus }) => [name, kind, chaosStatus]),
    [['web', 'deployment', 'reverted']],
  );
  assert.equal((await cluster.readyPods(namespace, 'spare', 1)).length, 1);
});

test('to nothing and back, for stateful sets too; an abort gives back at once', async (t) => {
  const cluster = await startExperimentCluster(t);
  const { client } = cluster;
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  const labels = { app: 'db' };
  const template = {
    metadata: { labels },
    spec: { nodeName: 'node-1', containers: [{ name: 'a', image: 'a' }] },
  };
  await client.create<StatefulSet>(
    STATEFUL_SETS,
    {
      metadata: { name: 'db', labels },
      spec: { replicas: 2, serviceName: 'db', selector: { matchLabels: labels }, template },
    },
    { namespace },
  );
  await cluster.readyPods(namespace, 'db', 2);
  const { outcome, stop, after } = await start(cluster, namespace, {
    REPLICA_COUNT: '0',
    TARGETS: `KIND:${namespace}:[]`,
    TOTAL_CHAOS_DURATION: '6000',
  });
  await Promise.all([cluster.readyPods(namespace, 'web', 0), cluster.readyPods(namespace, 'db', 0)]);
  stop.abort();
  assert.equal((await outcome).verdict, 'Stopped');
  assert.deepEqual(await after(), { replicas: 2, note: undefined });
  const set = await client.get<StatefulSet>(STATEFUL_SETS, 'db', { namespace });
  assert.equal(set.spec?.replicas, 2);
});

test('a fault that another client overrules reports it, and restores the original', async (t) => {
  const cluster = await startExperimentCluster(t);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  // No cluster starts so many here in time.
  const { outcome, after } = await start(cluster, namespace, {
    REPLICA_COUNT: '300',
    TOTAL_CHAOS_DURATION: '600',
  });
  await cluster.until<Deployment>(DEPLOYMENTS, namespace, ([web]) => web?.spec?.replicas === 300);
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { replicas: 3 } }, { namespace });
  const { verdict, errorOutput } = await outcome;
  assert.equal(verdict, 'Error');
  assert.match(
    errorOutput?.reason ?? '',
    /another client has scaled it to 3; is there a HorizontalPodAutoscaler/,
  );
  assert.deepEqual(await after(), { replicas: 2, note: undefined });
});

test('who is overruled once all replicas are ready says so as well', async (t) => {
  const cluster = await startExperimentCluster(t);
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  const { outcome, after } = await start(cluster, namespace, {
    REPLICA_COUNT: '3',
    TOTAL_CHAOS_DURATION: '6000',
  });
  await cluster.readyPods(namespace, 'web', 3);
  await cluster.until<Deployment>(DEPLOYMENTS, namespace, ([web]) => web?.status?.readyReplicas === 3);
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { replicas: 1 } }, { namespace });
  const { verdict, errorOutput } = await outcome;
  assert.equal(verdict, 'Error');
  assert.match(
    errorOutput?.reason ?? '',
    /cannot (keep|scale) .* another client has scaled it to 1; is there a Horiz/,
  );
  assert.deepEqual(await after(), { replicas: 2, note: undefined });
});

test('bad input is refused before anything is touched', async (t) => {
  const cluster = await startExperimentCluster(t);
  const table: readonly { readonly env: Record<string, string>; readonly reason: RegExp }[] = [
    { env: { REPLICA_COUNT: '' }, reason: /REPLICA_COUNT is not set/ },
    { env: { REPLICA_COUNT: '-1' }, reason: /REPLICA_COUNT is .*-1/ },
    { env: { REPLICA_COUNT: 'many' }, reason: /REPLICA_COUNT is .*many/ },
    { env: { APP_AFFECT_PERC: 'x' }, reason: /APP_AFFECT_PERC/ },
    { env: { TARGETS: 'daemonset:ns:[app=web]' }, reason: /cannot scale a daemonset/ },
    { env: { TARGETS: 'deployment:ns:[web]' }, reason: /there is no deployment ns\/web/ },
    { env: { TARGETS: 'deployment:kube-system:[a=b]' }, reason: /PROTECTED_NAMESPACES/ },
    { env: { TARGETS: '' }, reason: /TARGETS is not set/ },
  ];
  for (const { env, reason } of table) {
    const namespace = await cluster.namespace();
    const { outcome } = await start(cluster, namespace, { DEFAULT_HEALTH_CHECK: 'false', ...env });
    const { verdict, errorOutput } = await outcome;
    assert.equal(verdict, 'Error', JSON.stringify(env));
    assert.match(errorOutput?.reason ?? '', reason);
  }
});

test('as many replicas as before are no effect, as is known before', () => {
  const target = { kind: 'deployment', namespace: 'ns', name: 'web', observed: { replicas: 3 } };
  const planned = (replicas: number) => {
    const { settings } = compileSettings(podAutoscaler, { REPLICA_COUNT: String(replicas) }, () => 0);
    // Its own settings are among them.
    const tunables = settings.tunables as unknown as Parameters<typeof podAutoscaler.plan>[0]['tunables'];
    return podAutoscaler.plan({ tunables, targets: [target], round: 0, random: () => 0 })[0]?.idle;
  };
  assert.match(planned(3) ?? '', /^it has 3 replicas already/);
  assert.equal(planned(5), undefined);
});
