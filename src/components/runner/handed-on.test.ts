/** What the engine says reaches its experiments, and what they are, the engine's status and Events say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { EVENTS, PODS } from '@turnsole/kube/kinds/resources';
import {
  engineOf,
  NAMESPACE,
  passingExperiment,
  type Run,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { runnerSpanId } from '../../chaos/run-trace.ts';
import { handOnTrace, traceIdOf } from '../../tracing/trace-context.ts';

test('handed on: targets, further applications and the rest of the engine are in the environment', async (context) => {
  let seen: Readonly<Record<string, string>> = {};
  const experiment: Run = (program) => {
    seen = program.env;
    return passingExperiment(program);
  };
  const cluster = await startStandIn(context, {
    experiment,
    operator: {
      annotationKey: 'shop.example/chaos',
      protectedNamespaces: 'db',
      otel: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    },
  });
  await cluster.experiment('pod-delete', { env: [{ name: 'FORCE', value: 'true' }] });
  const { metadata } = await cluster.apply(
    engineOf('web', ['pod-delete'], {
      selectors: {
        workloads: [
          { kind: 'deployment', namespace: 'shop', names: 'web,api' },
          { kind: 'daemonset', namespace: 'log', labels: 'app=agent' },
        ],
        pods: [{ namespace: 'shop', names: 'db-0' }],
      },
      appinfo: { appns: 'not', applabel: 'not=this', appkind: 'deployment' },
      auxiliaryAppInfo: 'shop:app=cart',
      annotationCheck: 'true',
      defaultHealthCheck: false,
      terminationGracePeriodSeconds: 7,
      jobCleanUpPolicy: '',
    }),
  );
  const runId = (await cluster.ended('web', 'completed')).status?.runId ?? '';
  const { POD_NAME = '', ...env } = seen;
  assert.match(POD_NAME, /^pod-delete-\w{6}-/);
  assert.deepEqual(env, {
    CHAOSENGINE: 'web',
    TARGETS: 'deployment:shop:[web,api];daemonset:log:[app=agent];pod:shop:[db-0]',
    CHAOS_NAMESPACE: NAMESPACE,
    AUXILIARY_APPINFO: 'shop:app=cart',
    CHAOS_UID: metadata.uid,
    EXPERIMENT_NAME: 'pod-delete',
    LIB_IMAGE_PULL_POLICY: 'Always',
    TERMINATION_GRACE_PERIOD_SECONDS: '7',
    DEFAULT_HEALTH_CHECK: 'false',
    CHAOS_SERVICE_ACCOUNT: 'default',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    TRACE_PARENT: handOnTrace({ traceId: traceIdOf(runId), spanId: runnerSpanId(runId), isSampled: true }),
    FORCE: 'true',
    PROTECTED_NAMESPACES: 'db',
    ANNOTATION_CHECK: 'true',
    ANNOTATION_KEY: 'shop.example/chaos',
    STATUS_CHECK_DELAY: '2',
    STATUS_CHECK_TIMEOUT: '180',
    JOB_CLEANUP_POLICY: 'retain',
    RUN_ID: runId,
  });
});

test('status: experiments that wait say so, with the words dashboards know', async (context) => {
  const gate = Promise.withResolvers<void>();
  const experiment: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited');
    await Promise.race([gate.promise, untilAborted(program.signal)]);
    return passingExperiment(program);
  };
  const cluster = await startStandIn(context, { experiment });
  for (const name of ['first', 'second']) await cluster.experiment(name);
  await cluster.apply(engineOf('web', ['first', 'second']));
  const running = await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
  const words = ({ status }: ChaosEngine): string[] =>
    (status?.experiments ?? []).map((entry) =>
      [
        entry.name,
        entry.runner,
        entry.status,
        entry.verdict,
        entry.experimentPod.replace(/-\w{6}-\w+$/, '-POD'),
      ].join(', '),
    );
  assert.deepEqual(words(running), [
    'first, web-runner, Running, Awaited, first-POD',
    'second, web-runner, Waiting for Job Creation, N/A, Yet to be launched',
  ]);
  assert.ok(Number.isFinite(Date.parse(running.status?.experiments?.[0]?.lastUpdateTime ?? '')));
  gate.resolve();
  assert.deepEqual(words(await cluster.ended('web', 'completed')), [
    'first, web-runner, Completed, Pass, first-POD',
    'second, web-runner, Completed, Pass, second-POD',
  ]);
});

test('events: one per reason and experiment, under the name upstream gives it, counted up by the next run', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  const { metadata } = await cluster.apply(engineOf('web', ['pod-delete']));
  const first = await cluster.ended('web', 'completed');
  await cluster.events('web', 'ExperimentJobCleanUp');
  await cluster.patch('web', { spec: { engineState: 'active' } });
  await cluster.engine(
    'web',
    ({ status }) => status?.runId !== first.status?.runId && status?.engineStatus === 'completed',
  );
  for (const reason of ['ExperimentDependencyCheck', 'ExperimentJobCreate', 'ExperimentJobCleanUp']) {
    const name = `${reason}pod-delete${metadata.uid}`;
    const event = await cluster.client.get<CoreEvent>(EVENTS, name, { namespace: NAMESPACE });
    assert.deepEqual([event.reason, event.count, event.type], [reason, 2, 'Normal']);
    assert.equal(event.source?.component, 'web-runner');
    assert.equal(event.involvedObject.uid, metadata.uid);
  }
});

test('status: written when something changes, and not for every look', async (context) => {
  let writes = 0;
  const counting = (client: KubeClient): KubeClient =>
    new Proxy(client, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown => {
          if (property === 'patch' && parameters[0] === CHAOS_ENGINES) writes += 1;
          return Reflect.apply(value, target, parameters);
        };
      },
    });
  let looks = 0;
  const experiment: Run = async (program) => {
    // The pod changes again and again while it runs, as one with many conditions does.
    for (; looks < 20; looks++) {
      const metadata = { annotations: { look: String(looks) } };
      await program.client.patch(
        PODS,
        program.pod.metadata.name,
        'merge',
        { metadata },
        {
          namespace: NAMESPACE,
        },
      );
    }
    return passingExperiment(program);
  };
  const cluster = await startStandIn(context, { runnerClient: counting, experiment });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.ended('web', 'completed');
  assert.equal(looks, 20);
  assert.ok(writes >= 2 && writes <= 5, `${writes} writes`);
});
