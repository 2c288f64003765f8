/** The agent of a control plane on a cluster: with the rights of its installation, with logs of real pods, and as its image. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES, PODS, SECRETS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { NEW_KEY, TestControlPlane } from '../../src/components/subscriber/testing/control-plane.ts';
import {
  FIRST_KEY,
  type RunningSubscriber,
  startSubscriber,
} from '../../src/components/subscriber/testing/infrastructure.ts';
import { eventOf, RUN_LABELS } from '../../src/components/subscriber/testing/scene.ts';
import { SUBSCRIBER_NAME } from '../../src/services/install/names.ts';
import { compileInstallSettings } from '../../src/services/install/settings.ts';
import { subscriberObjects } from '../../src/services/install/subscriber-objects.ts';
import { accountReady, deleteNamespaces, TEST_NAMESPACE } from './support/namespaces.ts';
import { noCluster } from './support/settings.ts';
import { Shop } from './support/shop.ts';

const RUN_ID = 'r-1';

describe('the subscriber on a cluster', { skip: noCluster }, () => {
  const namespace = `infra-${randomUUID().slice(0, 6)}`;
  const place = { namespace };
  let shop: Shop;
  let server: TestControlPlane;
  let subscriber: RunningSubscriber;

  before(async () => {
    shop = await Shop.open();
    await shop.client.create(NAMESPACES, { metadata: { name: namespace, labels: TEST_NAMESPACE } });
    await installWithoutPods();
    server = await TestControlPlane.start({ ackPayload: { turnsole: { actionResults: true } } });
    // Here and not in a pod, which could not reach a server of this process on every cluster.
    const env = { COMPONENTS: 'DEPLOYMENTS: []' };
    subscriber = await startSubscriber(await accountConfig(), namespace, server.url, env, [
      '-leader-elect=true',
    ]);
  });
  after(async () => {
    await subscriber?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    if (shop !== undefined) await deleteNamespaces(shop.client, [namespace]);
    shop?.close();
  });

  /** What the server's manifest holds, and what `turnsole install --subscriber` makes, but the Deployment. */
  async function installWithoutPods(): Promise<void> {
    const { client } = shop;
    const config = {
      IS_INFRA_CONFIRMED: 'false',
      SERVER_ADDR: 'http://127.0.0.1:1/query',
      VERSION: '3.31.0',
    };
    const more = { INFRA_SCOPE: 'namespace', COMPONENTS: 'DEPLOYMENTS: []', START_TIME: '1000' };
    const data = { ...config, ...more };
    await client.create(CONFIG_MAPS, { metadata: { name: 'subscriber-config' }, data } as never, place);
    const stringData = { ACCESS_KEY: FIRST_KEY, INFRA_ID: RUN_LABELS.infra_id };
    await client.create(SECRETS, { metadata: { name: 'subscriber-secret' }, stringData } as never, place);
    for (const object of installed()) if (object.kind !== 'Deployment') await create(object);
    await accountReady(client, namespace, SUBSCRIBER_NAME);
  }

  function installed(): ReturnType<typeof subscriberObjects> {
    const { image, pullPolicy: imagePullPolicy } = shop.settings;
    const options = { namespace, watchNamespace: namespace, image, imagePullPolicy, subscriber: true };
    const { settings, problems } = compileInstallSettings(options, { version: '0', faults: [] });
    assert.deepEqual(problems, []);
    return subscriberObjects(settings);
  }

  async function create(object: ReturnType<typeof subscriberObjects>[number]): Promise<void> {
    const { apiVersion = '', kind = '', metadata } = object;
    const resource = await new KindResolver(shop.client).resolve(apiVersion, kind);
    assert.ok(typeof resource !== 'string', String(resource));
    assert.equal(metadata.namespace, namespace);
    await shop.client.create(resource, object as never, place);
  }

  async function accountConfig(): Promise<Awaited<ReturnType<typeof loadKubeconfig>>> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${SUBSCRIBER_NAME}/token`;
    const spec = { expirationSeconds: 3_600 };
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const { status } = await shop.client.raw<{ status: { token: string } }>('POST', path, asked);
    const { clientCertificate, clientKey, ...config } = await loadKubeconfig({
      path: shop.settings.kubeconfig,
    });
    return { ...config, token: () => Promise.resolve(status.token) };
  }

  /** Sends an action; resolves with what became of it. */
  async function act(requestID: string, action: object): Promise<Readonly<Record<string, unknown>>> {
    server.act({ requestID, namespace, ...action });
    const isIt = ({ request }: { request: Readonly<Record<string, unknown>> }): boolean =>
      request.requestID === requestID;
    await server.until(() => server.of('infraActionResult').some(isIt));
    return server.of('infraActionResult').find(isIt)?.request ?? {};
  }

  it('registers, and connects', async () => {
    await server.until(() => server.isSubscribed);
    const stored = await shop.client.get<KubeObject & { data?: Record<string, string> }>(
      SECRETS,
      'subscriber-secret',
      place,
    );
    assert.equal(Buffer.from(stored.data?.ACCESS_KEY ?? '', 'base64').toString(), NEW_KEY);
  });

  it('makes a workflow, tells what becomes of it, and stops it', async () => {
    const spec = { entrypoint: 'none', templates: [{ name: 'none', suspend: {} }] };
    // No controller takes it: it has an instance id of its own.
    const metadata = { name: 'run', labels: RUN_LABELS };
    const manifest = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata, spec };
    const made = await act('c-1', {
      requestType: 'create',
      k8sManifest: JSON.stringify(manifest),
      username: 'ann',
    });
    assert.deepEqual([made.isDone, made.message], [true, 'Workflow run created']);
    await server.until(() => server.of('chaosExperimentRun').length > 0);
    const [first] = server.of('chaosExperimentRun');
    assert.ok(first !== undefined);
    assert.equal(eventOf(first).updatedBy, Buffer.from('ann').toString('base64url'));
    const uid = eventOf(first).uid;
    const stopped = await act('s-1', { requestType: 'workflow_run_stop', externalData: uid });
    assert.deepEqual([stopped.isDone, stopped.message], [true, 'Workflow run and 0 engines stopped']);
    await server.until(() => server.of('chaosExperimentRun').some((one) => eventOf(one).phase === 'Stopped'));
    const status = { phase: 'Failed', startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:09Z' };
    await shop.client.patch(WORKFLOWS, 'run', 'merge', { status }, place);
    await server.until(() =>
      server.of('chaosExperimentRun').some(({ request }) => request.completed === true),
    );
    const gone = await act('d-1', { requestType: 'workflow_run_delete', externalData: uid });
    assert.equal(gone.isDone, true, String(gone.message));
  });

  it('does nothing that is not allowed', async () => {
    const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } };
    const refused = await act('c-2', { requestType: 'create', k8sManifest: JSON.stringify(manifest) });
    assert.equal(refused.isDone, false);
    assert.match(String(refused.message), /^kind Secret is not allowed/);
  });

  it('sends the log of a pod, whole and as it grows', async () => {
    const { image, pullPolicy } = shop.settings;
    const lines = "let n = 0; setInterval(() => console.log('line', n++), 200)";
    const container = { name: 'main', image, imagePullPolicy: pullPolicy, command: ['node', '-e', lines] };
    const spec = { terminationGracePeriodSeconds: 1, containers: [container] };
    await shop.client.create<Pod>(PODS, { metadata: { name: 'talks' }, spec }, place);
    const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';
    await waitForObject<Pod>(shop.client, PODS, 'talks', isRunning, { ...shop.limited, ...place });
    const wanted = { podName: 'talks', podNamespace: namespace, podType: 'Pod', experimentRunID: RUN_ID };
    const following = { ...wanted, pieces: true, follow: true };
    server.act({ requestType: 'logs', requestID: 'f-1', externalData: JSON.stringify(following) });
    const said = (requestID: string): string =>
      server
        .of('podLog')
        .filter(({ request }) => request.requestID === requestID)
        .map(({ request }) => (JSON.parse(String(request.log)) as { mainLogs: string }).mainLogs)
        .join('');
    await server.until(() => said('f-1').includes('line 5'));
    assert.match(said('f-1'), /^line 0\nline 1\n/);
    const whole = await act('l-1', { requestType: 'logs', externalData: JSON.stringify(wanted) });
    assert.equal(whole.isDone, true, String(whole.message));
    assert.match(said('l-1'), /^line 0\n/);
    await shop.client.delete(PODS, 'talks', place);
    await server.until(() =>
      server.of('podLog').some(({ request }) => {
        const { isLast } = JSON.parse(String(request.log)) as { isLast?: boolean };
        return request.requestID === 'f-1' && isLast === true;
      }),
    );
  });

  it('runs as its image, and says what keeps it from being ready', async () => {
    await subscriber.stop();
    // As if it had been registered anew, with a server that cannot be reached.
    const unconfirmed = { data: { IS_INFRA_CONFIRMED: 'false' } };
    await shop.client.patch(CONFIG_MAPS, 'subscriber-config', 'merge', unconfirmed, place);
    for (const object of installed()) if (object.kind === 'Deployment') await create(object);
    const isUp = (pods: readonly Pod[]): boolean =>
      pods.some(({ status }) => status?.containerStatuses?.[0]?.state?.running !== undefined);
    const found = await waitForList<Pod>(shop.client, PODS, isUp, {
      ...shop.limited,
      ...place,
      labelSelector: 'app=subscriber',
    });
    const [pod] = found;
    const limit = AbortSignal.timeout(shop.limited.timeoutMs);
    const log = shop.client.logLines(pod?.metadata.name ?? '', { ...place, follow: true, signal: limit });
    let reason: string | undefined;
    for await (const line of log) {
      if (!line.includes('the infrastructure is not confirmed')) continue;
      reason = line;
      break;
    }
    assert.match(reason ?? '', /cannot reach http:\/\/127\.0\.0\.1:1/);
    assert.ok(!(reason ?? '').includes(NEW_KEY));
  });
});
