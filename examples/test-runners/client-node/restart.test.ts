/** It is tested on a cluster of `@turnsole/cluster`: the client of the application reads its kubeconfig. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AppsV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { useCluster } from '@turnsole/cluster/testing';
import { DEPLOYMENTS, type Deployment } from '@turnsole/kube';
import { restart } from './restart.ts';

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: shop/web }] }
`;

const cluster = await useCluster({ simulated: true });
after(() => cluster.close());

test('after a restart all pods are others', async () => {
  const space = await cluster.namespace();
  await space.apply(WEB);
  await space.waitFor<Deployment>(DEPLOYMENTS, 'web', 'Available');
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const pods = async (): Promise<readonly (string | undefined)[]> => {
    const { items } = await core.listNamespacedPod({ namespace: space.name, labelSelector: 'app=web' });
    return items.filter(({ metadata }) => !metadata?.deletionTimestamp).map(({ metadata }) => metadata?.name);
  };
  const before = await pods();
  assert.equal(before.length, 2);
  await restart(config.makeApiClient(AppsV1Api), space.name, 'web', new Date());
  const isDone = ({ metadata, status }: Partial<Deployment> = {}): boolean =>
    status?.observedGeneration === metadata?.generation &&
    status?.updatedReplicas === 2 &&
    status?.replicas === 2 &&
    status?.availableReplicas === 2;
  await space.waitFor<Deployment>(DEPLOYMENTS, 'web', isDone);
  assert.deepEqual(
    (await pods()).filter((name) => before.includes(name)),
    [],
  );
});
