/** Starts a cluster with two nodes, runs a Deployment on it, and closes it. */
import { startCluster } from '@turnsole/cluster';
import { DEPLOYMENTS, type Deployment } from '@turnsole/kube';

const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: busybox, command: [sleep, '3600'] }] }
`;

await using cluster = await startCluster({ nodes: 2 });
await cluster.apply(WEB);
const { status } = await cluster.waitFor<Deployment>(DEPLOYMENTS, 'web', 'Available');
console.log(
  `${status?.availableReplicas} pods; ask for more: kubectl --kubeconfig ${cluster.kubeconfig} get pods`,
);
