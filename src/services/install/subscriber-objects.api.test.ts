/** The subscriber with the rights that an installation gives it, and no others, against an API server that checks them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  type Resource,
} from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import { startApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES } from '../../api/resources.ts';
import { TestControlPlane } from '../../components/subscriber/testing/control-plane.ts';
import {
  createInfrastructure,
  defineRunKinds,
  definitionOf,
  startSubscriber,
} from '../../components/subscriber/testing/infrastructure.ts';
import { engine, untilLogged, workflow } from '../../components/subscriber/testing/scene.ts';
import { SUBSCRIBER_NAME } from './names.ts';
import { compileInstallSettings } from './settings.ts';
import { subscriberObjects } from './subscriber-objects.ts';

const NAMESPACE = 'litmus';
const PLACE = { namespace: NAMESPACE };

/** What `turnsole install --subscriber` makes, but the Deployment, which has no node here. */
async function install(client: KubeClient, scope: 'cluster' | 'namespace'): Promise<void> {
  const { settings } = compileInstallSettings(
    {
      namespace: NAMESPACE,
      subscriber: true,
      replicas: 2,
      ...(scope === 'namespace' && { watchNamespace: NAMESPACE }),
    },
    { version: '1.2.3', faults: [] },
  );
  const kinds = new KindResolver(client);
  for (const object of subscriberObjects(settings)) {
    if (object.kind === 'Deployment') continue;
    const resource = await kinds.resolve(object.apiVersion ?? '', object.kind ?? '');
    assert.ok(typeof resource !== 'string', String(resource));
    const place = resource.namespaced ? { namespace: object.metadata.namespace ?? NAMESPACE } : {};
    await client.create(resource, object as never, place);
  }
}

async function accountConfig(client: KubeClient, config: ClusterConfig): Promise<ClusterConfig> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${SUBSCRIBER_NAME}/token`;
  const asked = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3_600 },
  };
  const { status } = await client.raw<{ readonly status: { readonly token: string } }>('POST', path, asked);
  const { clientCertificate, clientKey, ...rest } = config;
  return { ...rest, token: () => Promise.resolve(status.token) };
}

for (const scope of ['cluster', 'namespace'] as const) {
  test(`an installation for a ${scope} gives the rights for all that a server asks for by default`, async () => {
    await using api = await startApi(createApiServer);
    const { client } = api;
    await defineRunKinds(client);
    await client.create<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(CRON_WORKFLOWS));
    await createInfrastructure(client, NAMESPACE);
    await install(client, scope);
    await using server = await TestControlPlane.start({ ackPayload: { turnsole: { actionResults: true } } });
    const config = await accountConfig(client, api.server.adminConfig);
    await using subscriber = await startSubscriber(config, NAMESPACE, server.url, { INFRA_SCOPE: scope }, [
      '-leader-elect=true',
    ]);
    const { promise: problem, reject } = Promise.withResolvers<never>();
    problem.catch(() => {});
    const watchdog = setInterval(() => {
      const line = subscriber.lines.find((text) => /forbidden|\b403\b/.test(text));
      if (line !== undefined) reject(new Error(line));
    }, 20);
    const sure = <T>(work: Promise<T>): Promise<T> => Promise.race([work, problem]);
    try {
      await sure(server.until(() => server.isSubscribed));
      await using standby = await startSubscriber(config, NAMESPACE, server.url, { INFRA_SCOPE: scope }, [
        '-leader-elect=true',
      ]);
      await sure(untilLogged({ subscriber: standby }, 'another subscriber is active'));
      const done = async (action: Record<string, unknown>): Promise<void> => {
        const requestID = `${server.of('infraActionResult').length}`;
        server.act({ namespace: NAMESPACE, requestID, ...action });
        const isIt = ({ request }: { readonly request: object }): boolean =>
          (request as { requestID?: string }).requestID === requestID;
        await sure(server.until(() => server.of('infraActionResult').some(isIt)));
        const { request } = server.of('infraActionResult').find(isIt) ?? {};
        assert.equal(request?.isDone, true, `${JSON.stringify(action)}: ${String(request?.message)}`);
      };
      await everyManifest(done);
      await everyRun(client, done, (count) =>
        sure(server.until(() => server.of('chaosExperimentRun').length >= count)),
      );
      await everyLook(done, scope);
      await everyLever(client, done);
      await removal(client, done);
    } finally {
      clearInterval(watchdog);
    }
  });
}

type Done = (action: Record<string, unknown>) => Promise<void>;

async function everyManifest(done: Done): Promise<void> {
  for (const { group, version, kind } of [WORKFLOWS, CRON_WORKFLOWS, CHAOS_ENGINES] as Resource[]) {
    const metadata = { name: 'by-manifest', labels: { made: 'so' } };
    const k8sManifest = JSON.stringify({ apiVersion: `${group}/${version}`, kind, metadata, spec: {} });
    for (const requestType of ['create', 'get', 'update', 'delete']) await done({ requestType, k8sManifest });
    const all = JSON.stringify({
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { labels: { made: 'so' } },
    });
    await done({ requestType: 'delete', k8sManifest: all });
  }
}

async function everyRun(
  client: KubeClient,
  done: Done,
  untilReported: (count: number) => Promise<void>,
): Promise<void> {
  const create = async (name: string): Promise<string> => {
    const { metadata } = await client.create<KubeObject>(WORKFLOWS, workflow(name), PLACE);
    const uid = metadata.uid ?? '';
    await client.create(CHAOS_ENGINES, engine(`${name}-engine`, { workflow_run_id: uid }), PLACE);
    return uid;
  };
  await done({ requestType: 'workflow_run_stop', externalData: await create('stopped') });
  await done({ requestType: 'workflow_run_delete', externalData: await create('deleted') });
  await create('of-experiment');
  await done({ requestType: 'workflow_delete', externalData: 'experiment-1' });
  const labels = {
    infra_id: 'd0a3c4d2-0000-4000-8000-000000000001',
    type: 'standalone_workflow',
    workflow_id: 'e',
  };
  const status = { engineStatus: 'completed', experiments: [{ name: 'x', verdict: 'Pass' }] };
  await client.create(CHAOS_ENGINES, engine('alone', labels, status), PLACE);
  await untilReported(1);
}

async function everyLook(done: Done, scope: string): Promise<void> {
  await done({ requestType: 'namespace' });
  for (const [group, version, resource] of [
    ['', 'v1', 'pods'],
    ['', 'v1', 'services'],
    ['apps', 'v1', 'deployments'],
    ['apps', 'v1', 'statefulsets'],
    ['apps', 'v1', 'daemonsets'],
    ['batch', 'v1', 'jobs'],
  ]) {
    const namespace = scope === 'cluster' ? 'default' : NAMESPACE;
    const externalData = JSON.stringify({ namespace, kubeObjRequest: { group, version, resource } });
    await done({ requestType: 'kubeobjects', externalData });
  }
  const logs = { podName: 'component', podNamespace: NAMESPACE, podType: 'Pod', experimentRunID: 'r' };
  await done({ requestType: 'logs', externalData: JSON.stringify(logs) });
}

async function everyLever(client: KubeClient, done: Done): Promise<void> {
  const { items } = await client.list<KubeObject>(CHAOS_ENGINES, PLACE);
  for (const { metadata } of items) await client.delete(CHAOS_ENGINES, metadata.name, PLACE);
  await done({ requestType: 'halt', externalData: '{"reason":"sale","by":"olga"}' });
  await done({ requestType: 'halt', externalData: '{"reason":"still","by":"olga"}' });
  await done({ requestType: 'resume' });
}

async function removal(client: KubeClient, done: Done): Promise<void> {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'subscriber-config' } };
  const agent = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { labels: { app: 'subscriber' } } };
  const labels = agent.metadata.labels;
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await client.create(DEPLOYMENTS, { metadata: { name: 'agent', labels }, spec } as never, PLACE);
  await done({ requestType: 'delete', k8sManifest: JSON.stringify(agent) });
  await done({ requestType: 'delete', k8sManifest: JSON.stringify(config) });
  const isGone = (object: unknown): boolean => object === undefined;
  const limit = { ...PLACE, timeoutMs: PATIENCE_MS };
  await waitForObject(client, DEPLOYMENTS, 'agent', isGone, limit);
  await waitForObject(client, CONFIG_MAPS, 'subscriber-config', isGone, limit);
}
