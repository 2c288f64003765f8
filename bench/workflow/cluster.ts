import type { SimulatedRun, SimulationRule } from '@turnsole/cluster/node/simulated/plan';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { WORKFLOW_TASK_RESULTS } from '@turnsole/workflows/kinds/resources';
import { startChaosCluster } from '../../src/embedded/index.ts';
import { CountingProxy } from './proxy.ts';

export const NAMESPACE = 'bench';
const NODES = 20;
const PODS_PER_NODE = 500;

/** A workflow with this label has pods that run until they are deleted. */
export const HOLD_LABEL = 'bench.turnsole.io/hold';

/** The cluster that the controller works on. */
export interface BenchCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly proxy: CountingProxy;
}

/** Starts an embedded cluster in this process whose pods end at once, and the proxy through which the controller asks. */
export async function startBenchCluster(): Promise<BenchCluster> {
  await using stack = new AsyncDisposableStack();
  const embedded = await startChaosCluster({
    nodes: NODES,
    runtime: { kind: 'simulated', rules: [planOf], capacity: { cpus: 1000, pods: PODS_PER_NODE } },
  });
  stack.defer(() => embedded.close({ graceMs: 0 }));
  const client = createClient(embedded.adminConfig);
  stack.defer(() => client.close());
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } });
  // Argo's controller does not start without one; its port for metrics may be taken.
  await client.create<ConfigMap>(
    CONFIG_MAPS,
    {
      metadata: { name: 'workflow-controller-configmap' },
      data: { metricsConfig: 'enabled: false\npath: /metrics\n' },
    },
    { namespace: 'default' },
  );
  const proxy = stack.use(await CountingProxy.start(embedded.adminConfig));
  const owned = stack.move();
  return { client, proxy, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Containers end at once with 0. A reporting container of another controller reports that it has nothing to report. */
function planOf(pod: Pod): ReturnType<SimulationRule> {
  if (pod.metadata.labels?.['workflows.argoproj.io/workflow'] === undefined) return undefined;
  const runMs = pod.metadata.labels[HOLD_LABEL] === undefined ? 0 : Number.POSITIVE_INFINITY;
  const reports = pod.spec?.containers.some(({ name }) => name === 'wait') === true;
  return { runMs, containers: { init: { runMs: 0 }, ...(reports && { wait: { act: report } }) } };
}

async function report({ pod, client }: SimulatedRun): Promise<void> {
  const { labels = {}, annotations = {}, namespace = '', ownerReferences = [] } = pod.metadata;
  await client.create(
    WORKFLOW_TASK_RESULTS,
    {
      metadata: {
        name: annotations['workflows.argoproj.io/node-id'] ?? pod.metadata.name,
        ownerReferences,
        labels: {
          'workflows.argoproj.io/workflow': labels['workflows.argoproj.io/workflow'] ?? '',
          'workflows.argoproj.io/report-outputs-completed': 'true',
        },
      },
    },
    { namespace },
  );
}
