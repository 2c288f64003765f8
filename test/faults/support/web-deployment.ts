import type { Container, Deployment, PodSpec, StatefulSet } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { type FaultCluster, isReady } from './fault-cluster.ts';

const LABELS = { app: 'web' };
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
  more: Partial<PodSpec> = {},
): Promise<void> {
  const body = { metadata: { name: 'web', labels: LABELS }, spec: webSpec(replicas, more) };
  await cluster.client.create<Deployment>(DEPLOYMENTS, body, { namespace });
  await allReady(cluster, namespace, replicas);
}

/** The same as a StatefulSet: a pod that is replaced comes back under its name. */
export async function webStatefulSet(
  cluster: FaultCluster,
  namespace: string,
  replicas: number,
): Promise<void> {
  const spec = { ...webSpec(replicas), serviceName: 'web' };
  const body = { metadata: { name: 'web', labels: LABELS }, spec };
  await cluster.client.create<StatefulSet>(STATEFUL_SETS, body, { namespace });
  await allReady(cluster, namespace, replicas);
}

function webSpec(replicas: number, more: Partial<PodSpec> = {}) {
  const containers = [{ name: 'main', image: 'node', ...WEB }];
  const spec = { ...more, terminationGracePeriodSeconds: 1, containers };
  return { replicas, selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec } };
}

async function allReady(cluster: FaultCluster, namespace: string, replicas: number): Promise<void> {
  await cluster.podsOf(namespace, 'web', (pods) => pods.length === replicas && pods.every(isReady));
}

/** `kubectl rollout restart`. */
export async function restartRollout(cluster: FaultCluster, namespace: string): Promise<void> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  const patch = { spec: { template: { metadata: { annotations } } } };
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', patch, { namespace });
}
