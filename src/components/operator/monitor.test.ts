/** `spec.monitoring` against the embedded API server, with our exporter in place of the pod's process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Pod, Service } from '@turnsole/kube/kinds/core';
import { PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { silentLogger, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  endlessExperiment,
  engineOf,
  NAMESPACE,
  type Run,
  type StandInCluster,
  startStandIn,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine, CONDITION_MONITORED } from '../../api/index.ts';
import { runExporter } from '../exporter/run-exporter.ts';

const isRunning = ({ status }: ChaosEngine): boolean => status?.experiments?.[0]?.status === 'Running';

/** Runs the real exporter with the environment of the pod; `scrape` asks the one that was started last. */
function exporterPods(cluster: () => StandInCluster): { run: Run; scrape: () => Promise<string> } {
  let started = Promise.withResolvers<number>();
  const run: Run = ({ env, signal }) => {
    const { config } = cluster();
    const onListening = started.resolve;
    const argv = ['-metrics-bind-address=127.0.0.1:0'];
    return runExporter(argv, env, { config, signal, logger: silentLogger, onListening });
  };
  return {
    run: async (program) => {
      const code = await run(program);
      started = Promise.withResolvers();
      return code;
    },
    scrape: async () => (await fetch(`http://127.0.0.1:${await started.promise}/metrics`)).text(),
  };
}

function sample(page: string, name: string): string | undefined {
  return page.split('\n').find((line) => line.startsWith(name));
}

async function monitorGone(cluster: StandInCluster): Promise<void> {
  for (const resource of [SERVICES, PODS]) {
    await waitForObject(cluster.client, resource, 'web-monitor', (object) => object === undefined, {
      namespace: NAMESPACE,
      timeoutMs: PATIENCE_MS,
    });
  }
}

for (const statusSubresource of [false, true]) {
  const kind = statusSubresource ? 'status as subresource' : 'status in the object';

  test(`monitoring (${kind}): pod and service serve the totals, and go with the engine`, async (context) => {
    let cluster: StandInCluster;
    const exporter = exporterPods(() => cluster);
    cluster = await startStandIn(context, { statusSubresource, monitor: exporter.run });
    await cluster.experiment('pod-delete');
    await cluster.experiment('not-there-yet', { configMaps: [{ name: 'nowhere', mountPath: '/x' }] });
    const { metadata } = await cluster.apply(
      engineOf('web', ['pod-delete', 'not-there-yet'], { monitoring: true }),
    );
    const engine = await cluster.ended('web', 'completed');
    assert.equal(findCondition(engine.status?.conditions, CONDITION_MONITORED)?.status, 'True');

    const place = { namespace: NAMESPACE };
    const pod = await cluster.client.get<Pod>(PODS, 'web-monitor', place);
    const service = await cluster.client.get<Service>(SERVICES, 'web-monitor', place);
    for (const object of [pod, service]) {
      assert.equal(object.metadata.ownerReferences?.[0]?.uid, metadata.uid);
      assert.equal(object.metadata.labels?.chaosUID, metadata.uid);
    }
    const [port] = service.spec?.ports ?? [];
    assert.deepEqual([port?.name, port?.port, port?.targetPort], ['metrics', 8080, 'metrics']);
    for (const [key, value] of Object.entries(service.spec?.selector ?? { none: '' })) {
      assert.equal(pod.metadata.labels?.[key], value, 'the service finds the pod');
    }

    const page = await exporter.scrape();
    const labels = 'app_uid="",engine_name="web",kubernetes_version="v1.';
    assert.match(sample(page, `c_engine_experiment_count{${labels}`) ?? '', / 2$/);
    assert.match(sample(page, `c_engine_passed_experiments{${labels}`) ?? '', / 1$/);
    assert.match(sample(page, `c_engine_failed_experiments{${labels}`) ?? '', / 0$/);
    assert.match(sample(page, 'c_exp_pod_delete{') ?? '', / 3$/);
    assert.match(sample(page, 'c_exp_not_there_yet{') ?? '', / 0$/);
    assert.match(
      sample(page, 'litmuschaos_experiment_verdict{') ?? '',
      /chaosresult_name="web-pod-delete".*chaosresult_verdict="Pass".* 1$/,
    );

    await cluster.client.delete(CHAOS_ENGINES, 'web', place);
    await cluster.gone('web');
    await monitorGone(cluster);
  });
}

test('monitoring: an abort removes pod and service, a restart makes them again', async (context) => {
  let cluster: StandInCluster;
  const exporter = exporterPods(() => cluster);
  cluster = await startStandIn(context, {
    experiment: endlessExperiment,
    monitor: exporter.run,
    isBinding: true,
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { monitoring: true }));
  await cluster.engine('web', isRunning);
  await cluster.resultWhen('web-pod-delete', ({ status }) => status !== undefined);
  assert.match(sample(await exporter.scrape(), 'c_exp_pod_delete{') ?? '', / 1$/, 'it runs');
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  const stopped = await cluster.ended('web', 'stopped');
  assert.equal(findCondition(stopped.status?.conditions, CONDITION_MONITORED), undefined);
  await monitorGone(cluster);

  await cluster.patch('web', { spec: { engineState: 'active' } });
  await cluster.engine('web', isRunning);
  await cluster.client.get<Service>(SERVICES, 'web-monitor', { namespace: NAMESPACE });
  assert.match(sample(await exporter.scrape(), 'c_engine_experiment_count{') ?? '', / 1$/);
});

test('monitoring: the policy delete removes pod and service with the rest', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { monitoring: true, jobCleanUpPolicy: 'delete' }));
  await cluster.ended('web', 'completed');
  await cluster.podsWhen((pods) => pods.length === 0);
  await monitorGone(cluster);
});

test('monitoring: switched on and off during a run', async (context) => {
  const cluster = await startStandIn(context, { experiment: endlessExperiment });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.engine('web', isRunning);
  await monitorGone(cluster);
  const isMonitored = ({ status }: ChaosEngine): boolean =>
    findCondition(status?.conditions, CONDITION_MONITORED)?.status === 'True';
  await cluster.patch('web', { spec: { monitoring: true } });
  await cluster.engine('web', isMonitored);
  await cluster.client.get<Pod>(PODS, 'web-monitor', { namespace: NAMESPACE });
  await cluster.patch('web', { spec: { monitoring: false } });
  await cluster.engine('web', (engine) => !isMonitored(engine));
  await monitorGone(cluster);
  assert.ok(isRunning(await cluster.engine('web', () => true)), 'the run goes on');
});

test('monitoring: a monitor pod that failed for good is replaced', async (context) => {
  let pods = 0;
  const second = Promise.withResolvers<void>();
  const monitor: Run = async ({ signal }) => {
    pods += 1;
    if (pods === 1) return 137;
    second.resolve();
    await untilAborted(signal);
    return 0;
  };
  const cluster = await startStandIn(context, { experiment: endlessExperiment, monitor });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { monitoring: true }));
  await second.promise;
  assert.ok(isRunning(await cluster.engine('web', isRunning)));
  assert.equal(pods, 2);
});

test('monitoring: when the metrics cannot be served, the condition Monitored says why and the run goes on', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  const foreign = await cluster.client.create<Service>(
    SERVICES,
    { metadata: { name: 'web-monitor' }, spec: { ports: [{ port: 80 }], selector: { app: 'mine' } } },
    { namespace: NAMESPACE },
  );
  await cluster.apply(engineOf('web', ['pod-delete'], { monitoring: true }));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(
    engine.status?.experiments?.map(({ verdict }) => verdict),
    ['Pass'],
  );
  const condition = findCondition(engine.status?.conditions, CONDITION_MONITORED);
  assert.deepEqual([condition?.status, condition?.reason], ['False', 'NameTaken']);
  assert.match(condition?.message ?? '', /^cannot make service web-monitor: .* does not own; delete it$/);
  const [event] = (await cluster.events('web', 'ChaosResourcesOperationFailed')).filter((text) =>
    text.includes('Failed'),
  );
  assert.match(event ?? '', /\(chaos start\) cannot make service web-monitor/);
  await cluster.client.delete(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
  await cluster.gone('web');
  const kept = await cluster.client.get<Service>(SERVICES, 'web-monitor', { namespace: NAMESPACE });
  assert.equal(kept.metadata.uid, foreign.metadata.uid, 'a foreign object stays');
});
