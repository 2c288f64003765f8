/** An embedded API server with controllers, and a stand-in for the node agent that only says that pods run. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startControllers } from '@turnsole/cluster/controllers/start';
import { notEnforced } from '@turnsole/cluster/node/index';
import { createClient } from '@turnsole/kube/client/index';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, Deployment, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  EVENTS,
  NAMESPACES,
  NETWORK_POLICIES,
  NODES,
  PODS,
} from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import crds from '../../src/api/generated/crds.json' with { type: 'json' };
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosEngineSpec,
  type ChaosResult,
} from '../../src/api/index.ts';

/** The work of the stand-in for the node agent for a pod that carries work. */
export type PodWork = (pod: Pod, signal: AbortSignal) => Promise<'Succeeded' | 'Failed' | undefined>;

/** The cluster of a test, in a namespace of its own. */
export class ExperimentCluster {
  readonly client: KubeClient;
  readonly kubeconfigPath: string;
  /** For further clients. */
  readonly config: ClusterConfig;

  constructor(client: KubeClient, kubeconfigPath: string, config: ClusterConfig) {
    this.client = client;
    this.kubeconfigPath = kubeconfigPath;
    this.config = config;
  }

  /** A namespace of its own. */
  async namespace(): Promise<string> {
    const name = `t-${randomUUID().slice(0, 8)}`;
    await this.client.create(NAMESPACES, { metadata: { name } });
    return name;
  }

  /** A deployment with ready pods. */
  async deployment(namespace: string, name: string, replicas: number): Promise<readonly Pod[]> {
    const labels = { app: name };
    const template = {
      metadata: { labels },
      spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'app:1' }] },
    };
    await this.client.create<Deployment>(
      DEPLOYMENTS,
      { metadata: { name, labels }, spec: { replicas, selector: { matchLabels: labels }, template } },
      { namespace },
    );
    return this.readyPods(namespace, name, replicas);
  }

  /** The ready pods of an application, once they are this many. */
  readyPods(namespace: string, app: string, count: number): Promise<readonly Pod[]> {
    const isThere = (pods: readonly Pod[]): boolean =>
      pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && pod.status?.phase === 'Running')
        .length === count && pods.length === count;
    return waitForList<Pod>(this.client, PODS, isThere, {
      namespace,
      labelSelector: `app=${app}`,
      timeoutMs: PATIENCE_MS,
    });
  }

  /** An engine with one experiment. */
  engine(namespace: string, experiment: string, spec: Partial<ChaosEngineSpec> = {}): Promise<ChaosEngine> {
    return this.client.create<ChaosEngine>(
      CHAOS_ENGINES,
      {
        metadata: { name: 'eng' },
        spec: { engineState: 'active', experiments: [{ name: experiment }], ...spec },
      },
      { namespace },
    );
  }

  result(namespace: string, name: string): Promise<ChaosResult> {
    return this.client.get<ChaosResult>(CHAOS_RESULTS, name, { namespace });
  }

  /**
   * `kind reason type ×count: message`, sorted, when each of the expected is among them: an experiment waits a while for its Events at its
   * end, which is 50 times as short here.
   */
  async events(namespace: string, ...expected: readonly RegExp[]): Promise<string[]> {
    const isWanted = (events: readonly CoreEvent[]): boolean => {
      const lines = linesOf(events);
      return expected.every((line) => lines.some((text) => line.test(text)));
    };
    return linesOf(await this.until<CoreEvent>(EVENTS, namespace, isWanted));
  }

  /** Resolves when some objects of a kind are as wanted. */
  until<T extends KubeObject>(
    resource: Parameters<KubeClient['list']>[0],
    namespace: string,
    isWanted: (objects: readonly T[]) => boolean,
  ): Promise<readonly T[]> {
    return waitForList<T>(this.client, resource, isWanted, { namespace, timeoutMs: PATIENCE_MS });
  }
}

function linesOf(events: readonly CoreEvent[]): string[] {
  return events
    .filter(({ involvedObject }) => involvedObject.apiVersion === 'litmuschaos.io/v1alpha1')
    .map(
      ({ reason, type, message, count, involvedObject }) =>
        `${involvedObject.kind} ${reason} ${type} ×${count}: ${message}`,
    )
    .sort();
}

/** One cluster for all tests of a file: there before the first of them, and ended after the last. */
export function shareExperimentCluster(use: (cluster: ExperimentCluster) => void, work?: PodWork): void {
  const endings: (() => Promise<void>)[] = [];
  before(async () => {
    // A hook that is registered in a hook would run with that, not with the file.
    use(
      await startExperimentCluster({ after: (hook) => void endings.push(hook as () => Promise<void>) }, work),
    );
  });
  after(async () => {
    for (const end of endings) await end();
  });
}

/** Starts it; everything ends with the test. */
export async function startExperimentCluster(
  test: Pick<TestContext, 'after'>,
  work?: PodWork,
): Promise<ExperimentCluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'turnsole-experiment-'));
  const server = createApiServer({ dataDir });
  await server.listen();
  server.warnWriters(NETWORK_POLICIES, notEnforced('its pods are only said to run'));
  const client = createClient(server.adminConfig);
  // The generated file holds definitions only.
  for (const crd of Object.values(crds) as unknown as KubeObject[]) {
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
  }
  // Where every pod of a deployment is; nothing reports the node's health.
  await client.create(NODES, { metadata: { name: 'node-1' } });
  const controllers = await startControllers({ client });
  const stop = new AbortController();
  const agent = runPods(client, stop.signal, work);
  test.after(async () => {
    stop.abort();
    await agent;
    await controllers.stop();
    client.close();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return new ExperimentCluster(client, server.kubeconfigPath, server.adminConfig);
}

/** Says of every pod that it runs and is ready, does its work if it has some, and lets go of those that are deleted. */
async function runPods(client: KubeClient, signal: AbortSignal, work: PodWork | undefined): Promise<void> {
  const tasks: Promise<void>[] = [];
  const stops = new Map<string, AbortController>();
  const bury = async (pod: Pod): Promise<void> => {
    const { name, namespace = '' } = pod.metadata;
    await client.delete(PODS, name, { namespace, gracePeriodSeconds: 0 });
  };
  const start = async (pod: Pod): Promise<void> => {
    const { name, namespace = '', uid = '' } = pod.metadata;
    const stop = new AbortController();
    stops.set(uid, stop);
    await setStatus(client, pod, 'Running');
    const ending = await work?.(pod, AbortSignal.any([signal, stop.signal]));
    if (ending === undefined) return;
    const found = await client.find<Pod>(PODS, name, { namespace });
    if (found?.metadata.uid !== uid) return;
    await setStatus(client, pod, ending);
    if (stop.signal.aborted) await bury(pod);
  };
  const isWorking = (pod: Pod): boolean =>
    pod.spec?.containers[0]?.env?.some(({ name }) => name === 'TURNSOLE_ASSIGNMENT') === true;
  const onPod = async (pod: Pod): Promise<void> => {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp === undefined) {
      if (!stops.has(uid)) await start(pod);
      return;
    }
    stops.get(uid)?.abort();
    const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    if (!isWorking(pod) || ended) await bury(pod);
  };
  try {
    for await (const event of client.watch<Pod>(PODS, { signal })) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED') {
        // A pod that is gone meanwhile needs nothing more.
        tasks.push(onPod(event.object).catch(() => {}));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await Promise.all(tasks);
}

async function setStatus(
  client: KubeClient,
  pod: Pod,
  phase: 'Running' | 'Succeeded' | 'Failed',
): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  const ready = phase === 'Running';
  const containerStatuses = (pod.spec?.containers ?? []).map((container) => ({
    name: container.name,
    ready,
    restartCount: 0,
    image: container.image ?? '',
    imageID: '',
    state: ready
      ? { running: { startedAt: '2030-01-01T00:00:00Z' } }
      : { terminated: { exitCode: phase === 'Succeeded' ? 0 : 1, reason: 'Completed' } },
  }));
  const conditions = [
    { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ];
  const patch = { status: { phase, conditions, containerStatuses } };
  await client.patch<Pod>(PODS, name, 'merge', patch, { namespace, subresource: 'status' });
}
