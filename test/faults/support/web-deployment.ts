import type { Container, Deployment } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { type FaultCluster, isReady } from './fault-cluster.ts';

/** Answers every request; ends at once when it is told to. */
const WEB: Partial<Container> = {
  image: 'node',
  command: [
    'node',
    '-e',
    "require('http').createServer((_, response) => response.end('hello')).listen(8080)",
  ],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
};

/** A Deployment `web` with a container `main` that serves HTTP on port 8080, when its pods are ready. */
export async function webDeployment(
  cluster: FaultCluster,
  namespace: string,
  replicas: number,
): Promise<void> {
  const labels = { app: 'web' };
  const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'node', ...WEB }] };
  await cluster.client.create<Deployment>(
    DEPLOYMENTS,
    {
      metadata: { name: 'web', labels },
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    { namespace },
  );
  await cluster.podsOf(namespace, 'web', (pods) => pods.length === replicas && pods.every(isReady));
}

/** `kubectl rollout restart`. */
export async function restartRollout(cluster: FaultCluster, namespace: string): Promise<void> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  const patch = { spec: { template: { metadata: { annotations } } } };
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', patch, { namespace });
}
