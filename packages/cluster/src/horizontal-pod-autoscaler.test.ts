/** Autoscalers on whole clusters: with pods that say what they use, and with pods that really use it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, Deployment, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  EVENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  PODS,
  type Resource,
} from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startEmbeddedCluster } from './cluster/start.ts';
import type { EmbeddedClusterOptions } from './cluster/types.ts';
import type { HorizontalPodAutoscaler } from './controllers/horizontal-pod-autoscaler/types.ts';

const namespace = 'default';

async function start(t: TestContext, options: EmbeddedClusterOptions): Promise<KubeClient> {
  const cluster = await startEmbeddedCluster(options);
  const client = createClient(cluster.adminConfig);
  t.after(async () => {
    client.close();
    await cluster.close({ graceMs: 0 });
  });
  return client;
}

/** A simulated cluster whose autoscalers look ten times a second. */
const simulated = (t: TestContext): Promise<KubeClient> =>
  start(t, { runtime: 'simulated', metricsIntervalMs: 100 });

async function deploy(
  client: KubeClient,
  name: string,
  container: object,
  annotations: Record<string, string> = {},
): Promise<void> {
  await client.create<Deployment>(
    DEPLOYMENTS,
    {
      metadata: { name },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name }, annotations },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [{ name: 'main', image: 'busybox', ...container }],
          },
        },
      },
    },
    { namespace },
  );
}

async function autoscale(
  client: KubeClient,
  name: string,
  spec: Partial<HorizontalPodAutoscaler['spec']>,
): Promise<void> {
  await client.create<HorizontalPodAutoscaler>(
    HORIZONTAL_POD_AUTOSCALERS,
    {
      metadata: { name },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
        maxReplicas: 3,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
        ...spec,
      },
    },
    { namespace },
  );
}

async function until<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  name: string,
  isWanted: (object: T) => boolean,
): Promise<T> {
  let seen: T | undefined;
  try {
    await waitForObject<T>(
      client,
      resource,
      name,
      (object) => {
        seen = object;
        return object !== undefined && isWanted(object);
      },
      { namespace, timeoutMs: PATIENCE_MS },
    );
  } catch (cause) {
    throw new Error(`${resource.kind} ${name}: ${JSON.stringify(seen)}`, { cause });
  }
  assert.ok(seen);
  return seen;
}

const isReady =
  (replicas: number) =>
  ({ spec, status }: Deployment): boolean =>
    spec?.replicas === replicas && status?.readyReplicas === replicas && status.replicas === replicas;

const conditionIs =
  (type: string, reason: string) =>
  ({ status }: HorizontalPodAutoscaler): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.reason === reason) === true;

async function eventOf(client: KubeClient, name: string, reason: string, says = /./): Promise<void> {
  const isIt = (event: CoreEvent): boolean =>
    event.reason === reason && event.involvedObject?.name === name && says.test(event.message ?? '');
  await waitForList<CoreEvent>(client, EVENTS, (all) => all.some(isIt), {
    namespace,
    timeoutMs: PATIENCE_MS,
  });
}

/** Every pod of the deployment now says it uses this much. */
async function use(client: KubeClient, cpu: string): Promise<void> {
  const annotations = { 'simulated.turnsole.io/cpu': cpu };
  for (const { metadata } of (await client.list<Pod>(PODS, { namespace })).items) {
    await client.patch(PODS, metadata.name, 'merge', { metadata: { annotations } }, { namespace });
  }
}

const REQUEST = { resources: { requests: { cpu: '100m' } } };

test('an autoscaler scales a deployment up while its pods use too much, and down again', async (t) => {
  const client = await simulated(t);
  await deploy(client, 'web', REQUEST, { 'simulated.turnsole.io/cpu': '200m' });
  await autoscale(client, 'web', {});
  await until<Deployment>(client, DEPLOYMENTS, 'web', isReady(3));
  const scaled = await until<HorizontalPodAutoscaler>(
    client,
    HORIZONTAL_POD_AUTOSCALERS,
    'web',
    (seen) => seen.status?.currentReplicas === 3 && conditionIs('ScalingLimited', 'TooManyReplicas')(seen),
  );
  assert.deepEqual(scaled.status?.currentMetrics, [
    {
      type: 'Resource',
      resource: { name: 'cpu', current: { averageUtilization: 200, averageValue: '200m' } },
    },
  ]);
  assert.equal(scaled.status?.desiredReplicas, 3);
  await eventOf(client, 'web', 'SuccessfulRescale', /^New size: [23]; reason: cpu resource utilization/);
  await use(client, '10m');
  await until<Deployment>(client, DEPLOYMENTS, 'web', isReady(1));
});

test('a custom resource with a scale is scaled as well', async (t) => {
  const client = await simulated(t);
  const replicas = { type: 'integer' };
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'crowds.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'crowds', kind: 'Crowd' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { replicas } },
                status: { type: 'object', properties: { replicas, selector: { type: 'string' } } },
              },
            },
          },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
        },
      ],
    },
  } as KubeObject);
  const crowds: Resource = {
    group: 'example.com',
    version: 'v1',
    plural: 'crowds',
    kind: 'Crowd',
    namespaced: true,
  };
  await client.create(crowds, { metadata: { name: 'c' }, spec: { replicas: 1 } } as KubeObject, {
    namespace,
  });
  await client.patch(
    crowds,
    'c',
    'merge',
    { status: { replicas: 1, selector: 'app=c' } },
    { namespace, subresource: 'status' },
  );
  const annotations = { 'simulated.turnsole.io/cpu': '100m' };
  await client.create<Pod>(
    PODS,
    {
      metadata: { name: 'c-0', labels: { app: 'c' }, annotations },
      spec: { containers: [{ name: 'main', image: 'busybox', ...REQUEST }] },
    },
    { namespace },
  );
  await autoscale(client, 'c', {
    scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Crowd', name: 'c' },
  });
  await until<KubeObject & { spec?: { replicas?: number } }>(
    client,
    crowds,
    'c',
    ({ spec }) => spec?.replicas === 2,
  );
});

test('what stands in the way is in its conditions and Events', async (t) => {
  const client = await simulated(t);
  await deploy(client, 'plain', {});
  await deploy(client, 'off', REQUEST);
  await client.patch(DEPLOYMENTS, 'off', 'merge', { spec: { replicas: 0 } }, { namespace });
  const queue = {
    type: 'Pods',
    pods: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '5' } },
  };
  const table: readonly (readonly [
    name: string,
    Partial<HorizontalPodAutoscaler['spec']>,
    type: string,
    reason: string,
  ])[] = [
    ['none', {}, 'AbleToScale', 'FailedGetScale'],
    [
      'kind',
      { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Nonsense', name: 'x' } },
      'AbleToScale',
      'FailedGetScale',
    ],
    ['plain', {}, 'ScalingActive', 'FailedGetResourceMetric'],
    ['off', {}, 'ScalingActive', 'ScalingDisabled'],
    [
      'custom',
      { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'plain' }, metrics: [queue] },
      'ScalingActive',
      'AmbiguousSelector',
    ],
  ];
  for (const [name, spec, type, reason] of table) {
    await autoscale(client, name, spec);
    await until<HorizontalPodAutoscaler>(client, HORIZONTAL_POD_AUTOSCALERS, name, conditionIs(type, reason));
    if (reason !== 'ScalingDisabled') await eventOf(client, name, reason);
    // At first there are no figures at all; and once another one has the same target, nothing else is said of it.
    if (name === 'plain') await eventOf(client, name, reason, /missing request for cpu in container main/);
  }
  // Alone with its target, the other one reports that its metric is not served.
  await client.delete(HORIZONTAL_POD_AUTOSCALERS, 'plain', { namespace });
  await until<HorizontalPodAutoscaler>(
    client,
    HORIZONTAL_POD_AUTOSCALERS,
    'custom',
    conditionIs('ScalingActive', 'FailedGetPodsMetric'),
  );
});

test('pods that really burn are scaled by what they burn', {
  skip: process.platform !== 'linux',
}, async (t) => {
  // Pods have a /tmp of their own.
  const folder = mkdtempSync('/var/tmp/turnsole-hpa-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const fuel = join(folder, 'fuel');
  writeFileSync(fuel, '');
  const client = await start(t, { isolation: 'none', metricsIntervalMs: 1_000 });
  const script = `while [ -e ${fuel} ]; do :; done; exec sleep 1000`;
  // However loaded the machine is, a fiftieth of a core is there for each.
  await deploy(client, 'hog', {
    command: ['/bin/sh', '-c', script],
    resources: { requests: { cpu: '20m' } },
  });
  await autoscale(client, 'hog', {
    maxReplicas: 2,
    behavior: { scaleDown: { stabilizationWindowSeconds: 3 } },
  });
  await until<Deployment>(client, DEPLOYMENTS, 'hog', isReady(2));
  rmSync(fuel);
  await until<Deployment>(client, DEPLOYMENTS, 'hog', isReady(1));
});
