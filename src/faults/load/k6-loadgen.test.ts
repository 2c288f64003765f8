import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, Secret } from '@turnsole/kube/kinds/core';
import { PODS, SECRETS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import type { Fault, FaultContext, Injection } from '../../experiment/injection/fault.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { contextFor } from '../../experiment/injection/testing/builders.ts';
import k6Loadgen from './k6-loadgen.ts';
import { describeEnd, grpcEndpoint, type K6Parameters, k6Arguments, k6PodName } from './k6-pod.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});
/** As the registry gives it: a fault of some settings. */
const fault: Fault = k6Loadgen;
const TRACE = '0af7651916cd43dd8448eb211c80319c';

function planned(env: Record<string, string> = {}): { injection: Injection; context: FaultContext } {
  const { settings, problems } = compileSettings(fault, { RUN_ID: 'run1', ...env }, () => 0);
  assert.deepEqual(problems, []);
  const [injection] = fault.plan({ tunables: settings.tunables, targets: [], round: 0, random: () => 0 });
  assert.ok(injection !== undefined);
  const context = { ...contextFor(cluster?.client), clock: fastClock(), tunables: settings.tunables };
  return { injection: { ...injection, id: `run1.r0.${injection.id}` }, context };
}

test('the arguments of k6', () => {
  const { injection } = planned({ TOTAL_CHAOS_DURATION: '7' });
  const parameters = injection.parameters as K6Parameters;
  assert.deepEqual(k6Arguments(parameters), [
    'run',
    '/mnt/script.js',
    '-q',
    '--duration',
    '7s',
    '--tag',
    'trace_id=run1',
  ]);
  const { deadlineSeconds, keep, image } = parameters;
  assert.deepEqual([deadlineSeconds, keep, image], [187, true, 'ghcr.io/grafana/k6-operator:latest-runner']);
  const traced = planned({
    SCRIPT_SECRET_KEY: 'load.js',
    TRACE_PARENT: `{"traceparent":"00-${TRACE}-b7ad6b7169203331-01"}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel.monitoring:4317/',
    JOB_CLEANUP_POLICY: 'delete',
  }).injection.parameters as K6Parameters;
  assert.deepEqual(k6Arguments(traced).slice(5), [
    '--tag',
    `trace_id=${TRACE}`,
    '--out',
    'experimental-opentelemetry',
  ]);
  assert.deepEqual([traced.metrics?.endpoint, traced.keep], ['otel.monitoring:4317', false]);
});

test('the pod: the script out of its Secret, no token, what helpers inherit, the engine’s label', async () => {
  const namespace = await cluster.namespace();
  await cluster.until(SERVICE_ACCOUNTS, namespace, (accounts) => accounts.length > 0);
  const own = await cluster.client.create<Pod>(
    PODS,
    {
      metadata: { name: 'me', annotations: { team: 'shop' } },
      spec: {
        imagePullSecrets: [{ name: 'pull' }],
        tolerations: [{ key: 'dedicated', operator: 'Exists' }],
        containers: [{ name: 'exp', image: 'turnsole', resources: { limits: { memory: '1Gi' } } }],
      },
    },
    { namespace },
  );
  await cluster.client.create<Secret>(
    SECRETS,
    { metadata: { name: 'k6-script' }, data: { 'script.js': 'Lw==' } },
    { namespace },
  );
  const { injection, context } = planned({
    CHAOS_NAMESPACE: namespace,
    CHAOS_UID: 'uid-1',
    POD_NAME: 'me',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4317',
  });
  const name = k6PodName('run1');
  await k6Loadgen.inject(injection, context);
  await k6Loadgen.inject(injection, context);
  const pod = await cluster.client.get<Pod>(PODS, name, { namespace });
  const { labels, annotations, ownerReferences } = pod.metadata;
  assert.deepEqual(labels, { app: name, chaosUID: 'uid-1', 'turnsole.io/run-id': 'run1' });
  assert.deepEqual(annotations, { team: 'shop' });
  assert.equal(ownerReferences?.[0]?.uid, own.metadata.uid);
  const { spec } = pod;
  assert.equal(spec?.automountServiceAccountToken, false);
  assert.deepEqual(spec?.imagePullSecrets, [{ name: 'pull' }]);
  assert.ok(spec?.tolerations?.some(({ key }) => key === 'dedicated'));
  assert.deepEqual(spec?.containers[0]?.resources, {
    limits: { memory: '1Gi' },
    requests: { memory: '1Gi' },
  });
  assert.deepEqual(
    spec?.containers[0]?.env?.map(({ name: variable, value }) => `${variable}=${value}`),
    [
      'K6_OTEL_METRIC_PREFIX=k6_',
      'K6_OTEL_GRPC_EXPORTER_INSECURE=true',
      'K6_OTEL_GRPC_EXPORTER_ENDPOINT=otel:4317',
    ],
  );
  await k6Loadgen.revert(injection, context);
  await k6Loadgen.revert(injection, context);
  assert.equal(await cluster.client.find(PODS, name, { namespace }), undefined);
});

test('a script that is not there is named before a pod is made', async () => {
  const namespace = await cluster.namespace();
  const { injection, context } = planned({ CHAOS_NAMESPACE: namespace });
  await assert.rejects(k6Loadgen.inject(injection, context), {
    code: 'CHAOS_INJECT_ERROR',
    message: new RegExp(
      `no Secret ${namespace}/k6-script .*create secret generic k6-script --from-file script.js`,
    ),
  });
  await cluster.client.create<Secret>(
    SECRETS,
    { metadata: { name: 'k6-script' }, data: { 'other.js': 'Lw==' } },
    { namespace },
  );
  await assert.rejects(k6Loadgen.inject(injection, context), /has no key script.js; it has other.js/);
  const { items } = await cluster.client.list(PODS, { namespace });
  assert.deepEqual(items, []);
});

test('settings that cannot be used, by name', () => {
  const problems = (env: Record<string, string>) =>
    compileSettings(k6Loadgen, env, () => 0).problems.map(({ variable }) => variable);
  assert.deepEqual(problems({ SCRIPT_SECRET_NAME: 'My Secret', SCRIPT_SECRET_KEY: '../x' }), [
    'SCRIPT_SECRET_NAME',
    'SCRIPT_SECRET_KEY',
  ]);
  assert.deepEqual(problems({ TOTAL_CHAOS_DURATION: '0' }), ['TOTAL_CHAOS_DURATION']);
});

test('small parts', () => {
  assert.equal(grpcEndpoint('https://a:1/v1'), 'a:1');
  const ended = (exitCode: number): Pod => ({
    metadata: { name: 'p' },
    status: {
      containerStatuses: [
        {
          name: 'k6',
          ready: false,
          restartCount: 0,
          image: '',
          imageID: '',
          state: { terminated: { exitCode, reason: 'Error' } },
        },
      ],
    },
  });
  assert.equal(describeEnd(ended(99)), 'Error, exit code 99: a threshold of the script was crossed');
  assert.equal(describeEnd(ended(1)), 'Error, exit code 1');
  assert.equal(
    describeEnd({ metadata: { name: 'p' }, status: { reason: 'DeadlineExceeded' } }),
    'DeadlineExceeded',
  );
});
