import type { KubeClient } from '@turnsole/kube/client/types';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  NAMESPACES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import type { TestApi } from '@turnsole/kube/testing/api';
import {
  createInfrastructure,
  defineRunKinds,
  type RunningSubscriber,
  startSubscriber,
} from '../../src/components/subscriber/testing/infrastructure.ts';
import type { TestAgent } from '../../src/controlplane/server/testing/test-server.ts';
import { planManifest } from '../../src/services/plan/plan-manifest.ts';

/** The agent of an infrastructure of scope `cluster`, in this process, with an API server of its own. */
export async function startAgent(
  api: TestApi,
  { infraID, accessKey, version }: TestAgent,
  address: string,
): Promise<RunningSubscriber> {
  await defineRunKinds(api.client);
  await createInfrastructure(api.client, 'litmus');
  const place = { namespace: 'litmus' };
  const ACCESS_KEY = Buffer.from(accessKey).toString('base64');
  await api.client.patch(SECRETS, 'subscriber-secret', 'merge', { data: { ACCESS_KEY } }, place);
  await api.client.patch(
    CONFIG_MAPS,
    'subscriber-config',
    'merge',
    { data: { IS_INFRA_CONFIRMED: 'true' } },
    place,
  );
  const env = {
    ...{ INFRA_ID: infraID, ACCESS_KEY: accessKey, VERSION: version },
    ...{ IS_INFRA_CONFIRMED: 'true', INFRA_SCOPE: 'cluster' },
  };
  return startSubscriber(api.server.adminConfig, 'litmus', `${address}/query`, env, [], planManifest);
}

/** A namespace with a Deployment and its pods, as a cluster has them. */
export async function makeApplication(
  client: KubeClient,
  namespace: string,
  name: string,
  pods: number,
): Promise<void> {
  const labels = { app: name };
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default' } }, { namespace });
  const spec = { containers: [{ name: 'main', image: 'none' }] };
  const deployment = {
    metadata: { name, labels: { 'app.kubernetes.io/part-of': 'shop' } },
    spec: { replicas: pods, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
  await client.create(DEPLOYMENTS, deployment as never, { namespace });
  for (let number = 0; number < pods; number += 1) {
    const metadata = { name: `${name}-5b7d-${number}`, labels: { ...labels, 'pod-template-hash': '5b7d' } };
    await client.create(PODS, { metadata, spec } as never, { namespace });
  }
}
