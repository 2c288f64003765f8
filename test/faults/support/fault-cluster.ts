/**
 * A cluster for tests that look at a fault's effect from outside: an embedded one with isolated pods and an operator, or under
 * `npm run test:cluster` the Kubernetes cluster that this runs on, with Turnsole installed in it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedClusterOptions } from '@turnsole/cluster/cluster/types';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { isolationMissing } from '@turnsole/cluster/node/testing/isolation-missing';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Container, Deployment, Node, Pod, PodSpec } from '@turnsole/kube/kinds/core';
import {
  CLUSTER_ROLE_BINDINGS,
  DEPLOYMENTS,
  NAMESPACES,
  NODES,
  PODS,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  type LedgerEntry,
  type Probe,
} from '../../../src/api/index.ts';
import { startChaosCluster } from '../../../src/embedded/index.ts';
import { JOURNAL_FOLDER } from '../../../src/experiment/helper/journal.ts';
import { locateContainer } from '../../../src/experiment/node/container-locator.ts';
import { startLocalOperator } from '../../../src/runs/session/open-cluster.ts';
import { applyManifests, sortForApply } from '../../../src/services/manifests/apply.ts';
import { parseManifests } from '../../../src/services/manifests/load.ts';
import { accountReady, deleteNamespaces, TEST_NAMESPACE } from '../../cluster/support/namespaces.ts';
import {
  type ClusterSettings,
  clusterSettings,
  connect,
  isNodeHere,
} from '../../cluster/support/settings.ts';
import { detachedCluster } from '../../support/up.ts';

/** The Kubernetes cluster to be used; undefined means an embedded one. */
const existing = clusterSettings();

/** Why effects cannot be tested here, or false when they can. */
export const effectsImpossible: string | false = await (existing === undefined
  ? noIsolation()
  : noNodeHere(existing));

/** Why tests cannot run whose faults need nothing of a machine and are seen from anywhere, or false when they can: on embedded clusters, always. */
export const observingImpossible: string | false = existing === undefined ? false : effectsImpossible;

/** Why tests cannot run that need stand-ins for other people's images (stand-ins.ts), or false when they can. */
export const standInsImpossible: string | false =
  existing === undefined || existing.standIns !== undefined
    ? observingImpossible
    : 'there is no image with the stand-ins; name it by --stand-ins';

/** Why tests cannot run that take nodes of their own, several of them or such as can be switched off, or false when they can. */
export const ownNodesImpossible: string | false =
  existing === undefined ? false : 'nodes to play with are on embedded clusters only';

/** Why tests cannot run that take the only node of a cluster from everything else, or false when they can. */
export const onlyNodeImpossible: string | false =
  effectsImpossible === false && existing !== undefined ? await severalNodes(existing) : effectsImpossible;

async function severalNodes(settings: ClusterSettings): Promise<string | false> {
  const client = await connect(settings);
  const { items } = await client.list(NODES).finally(() => client.close());
  return items.length > 1 ? 'this cluster has other nodes' : false;
}

/** Effects are measured from the node: its processes, cgroups and network namespaces. */
async function noNodeHere(settings: ClusterSettings): Promise<string | false> {
  const client = await connect(settings);
  const isHere = await isNodeHere(client).finally(() => client.close());
  return isHere
    ? false
    : 'effects are measured as root on the node, and no node of the cluster is this machine';
}

async function noIsolation(): Promise<string | false> {
  const missing = await isolationMissing();
  return missing === undefined
    ? false
    : `effects are on isolated pods, which there cannot be here: ${missing}`;
}

/**
 * How many tests of a file are to go on at a time.
 *
 * @param onEmbedded where each file has a cluster of its own: so many as they mostly wait
 * @param elsewhere on a cluster that files share @default 1
 */
export function sideBySide(onEmbedded: number, elsewhere = 1): number {
  return existing === undefined ? onEmbedded : elsewhere;
}

/**
 * TOTAL_CHAOS_DURATION of runs that are looked at while they are in force and end by themselves: a look takes a second or two, and ten
 * times that on a machine with much else to do.
 */
export const LOOKED_AT_SECONDS = '20';
/** Far more than anything here takes; a wait that lasts so long has failed. */
export const LIMIT_MS = PATIENCE_MS;
/** The same for what controllers have to notice first. */
const CHANGE_LIMIT_MS = 2 * LIMIT_MS;

/** An engine under way. */
export interface FaultRun {
  readonly namespace: string;
  /** Name of the engine. */
  readonly engine: string;
  /** Date.now() when the engine was created. */
  readonly createdAt: number;
  /**
   * Resolves when the ledger says that everything planned is in force.
   *
   * @param count how much that is at least: each helper plans for itself @default 1
   * @throws Error with the result when the run is over before
   */
  injected(count?: number): Promise<readonly LedgerEntry[]>;
  /** Resolves with the result when it is as wanted, or the run is over. */
  until(isWanted: (result: ChaosResult) => boolean): Promise<ChaosResult>;
  /** Resolves with the result when the run is over. @param moreMs time beyond its duration that it may take, besides the usual @default 0 */
  ended(moreMs?: number): Promise<ChaosResult>;
  /** Sets `engineState: stop`. */
  abort(): Promise<void>;
}

/** What of a run is to be said. */
export interface FaultRunOptions {
  /** Variables of the engine, besides a short duration and no health checks. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of the pods that are hit; none for faults that hit no pods. */
  readonly pods?: readonly string[];
  /** In which the engine lives. */
  readonly namespace: string;
  /** Where the experiment's own pod runs. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Probes of the experiment. */
  readonly probes?: readonly Probe[];
  /** Further fields of the engine. */
  readonly engine?: Partial<ChaosEngine['spec']>;
  /** STATUS_CHECK_TIMEOUT, in seconds, as the engine says it. */
  readonly statusCheckSeconds?: number;
}

/** The cluster of one test file. */
export class FaultCluster {
  readonly client: KubeClient;
  readonly kubeconfigPath: string;
  /** Names of its nodes. */
  readonly nodes: readonly string[];

  readonly #close: (namespaces: readonly string[]) => Promise<void>;
  readonly #namespaces: string[] = [];

  private constructor(
    client: KubeClient,
    kubeconfigPath: string,
    nodes: readonly string[],
    close: (namespaces: readonly string[]) => Promise<void>,
  ) {
    this.client = client;
    this.kubeconfigPath = kubeconfigPath;
    this.nodes = nodes;
    this.#close = close;
  }

  /**
   * @param nodes of an embedded cluster; another has those that it has. @default 1
   * @param images of an embedded cluster, beside the built-in ones
   * @param more of an embedded cluster
   */
  static start(
    nodes = 1,
    images?: ReadonlyMap<string, ImageEntry>,
    more?: Pick<EmbeddedClusterOptions, 'nodeGraceMs' | 'imageStore'>,
  ): Promise<FaultCluster> {
    return existing === undefined
      ? FaultCluster.#embedded(nodes, images, more)
      : FaultCluster.#existing(existing);
  }

  static async #existing(settings: ClusterSettings): Promise<FaultCluster> {
    const client = await connect(settings);
    const { items } = await client.list(NODES);
    const nodes = items.map(({ metadata }) => metadata.name);
    return new FaultCluster(client, settings.kubeconfig, nodes, async (namespaces) => {
      await deleteNamespaces(client, namespaces);
      for (const name of namespaces)
        await client.delete(CLUSTER_ROLE_BINDINGS, `chaos-${name}`).catch(() => {});
      client.close();
    });
  }

  /**
   * An embedded cluster with its operator in a process of its own, as a user starts it: what it does takes no time from whoever looks at
   * it from here.
   */
  static async detached(): Promise<FaultCluster> {
    const started = await detachedCluster(['--isolation', 'full']);
    const { items } = await started.client.list(NODES);
    const names = items.map(({ metadata }) => metadata.name);
    return new FaultCluster(started.client, started.kubeconfig, names, async () => {
      await started[Symbol.asyncDispose]();
    });
  }

  static async #embedded(
    nodes: number,
    images: ReadonlyMap<string, ImageEntry> = new Map(),
    more: Pick<EmbeddedClusterOptions, 'nodeGraceMs' | 'imageStore'> = {},
  ): Promise<FaultCluster> {
    // Where pods cannot be isolated, only faults that need no isolated pods are tested.
    const isolation = effectsImpossible === false ? 'full' : 'auto';
    const embedded = await startChaosCluster({ isolation, nodes, images, ...more });
    const client = createClient(embedded.adminConfig);
    const operator = await startLocalOperator(client, { verbose: false });
    const names = Array.from({ length: nodes }, (_, index) => `turnsole-${index + 1}`);
    return new FaultCluster(client, embedded.kubeconfigPath, names, async () => {
      await operator.stop();
      client.close();
      await embedded.close({ graceMs: 0 });
    });
  }

  /** Ends it with all of its pods. */
  async close(): Promise<void> {
    await this.#close(this.#namespaces);
    // Of helpers that were killed; in a cluster that goes on, the next helper on the node takes them over.
    const journals = existsSync(JOURNAL_FOLDER) ? readdirSync(JOURNAL_FOLDER) : [];
    for (const name of journals) {
      if (this.#namespaces.includes(name.split('_')[0] ?? ''))
        rmSync(join(JOURNAL_FOLDER, name), { force: true });
    }
  }

  /** A namespace nobody else uses. */
  async namespace(): Promise<string> {
    const name = `t-${randomUUID().slice(0, 8)}`;
    this.#namespaces.push(name);
    await this.client.create(NAMESPACES, { metadata: { name, labels: TEST_NAMESPACE } });
    // Pods need the account that a controller makes for each namespace.
    if (existing === undefined) {
      await waitForObject(this.client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
        namespace: name,
        timeoutMs: LIMIT_MS,
      });
    } else await accountReady(this.client, name);
    return name;
  }

  /** A running, ready pod with one container `main`; a shell that sleeps unless said otherwise. */
  async pod(
    namespace: string,
    name: string,
    container: Partial<Container> = {},
    spec: Partial<PodSpec> = {},
  ): Promise<Pod> {
    const main = {
      name: 'main',
      image: 'busybox',
      command: ['/bin/sh', '-c', 'exec sleep 100000'],
      ...container,
      ...(existing === undefined ? {} : realImage(existing)),
    };
    await this.client.create<Pod>(
      PODS,
      {
        metadata: { name, labels: { app: name } },
        spec: { terminationGracePeriodSeconds: 0, ...spec, containers: [main, ...(spec.containers ?? [])] },
      },
      { namespace },
    );
    return this.until(namespace, name, isReady);
  }

  /** Resolves when a pod is as wanted. */
  async until(namespace: string, name: string, isWanted: (pod: Pod) => boolean): Promise<Pod> {
    let seen: Pod | undefined;
    await waitForObject<Pod>(
      this.client,
      PODS,
      name,
      (pod) => {
        seen = pod;
        return pod !== undefined && isWanted(pod);
      },
      { namespace, timeoutMs: LIMIT_MS },
    ).catch((cause: unknown) => {
      throw new Error(`pod ${namespace}/${name}: ${JSON.stringify(seen?.status)}`, { cause });
    });
    if (seen === undefined) throw new Error(`pod ${namespace}/${name} is not there`);
    return seen;
  }

  /** A deployment whose pods are ready: shells that sleep, with a label `app` of its name. */
  async deployment(namespace: string, name: string, replicas: number): Promise<void> {
    const labels = { app: name };
    const main = {
      name: 'main',
      image: 'busybox',
      command: ['/bin/sh', '-c', 'exec sleep 100000'],
      ...(existing === undefined ? {} : realImage(existing)),
    };
    const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [main] } };
    await this.client.create<Deployment>(
      DEPLOYMENTS,
      { metadata: { name, labels }, spec: { replicas, selector: { matchLabels: labels }, template } },
      { namespace },
    );
    await this.podsOf(namespace, name, (pods) => pods.length === replicas && pods.every(isReady));
  }

  /** Resolves with the pods of a label `app` when they are as wanted. */
  podsOf(
    namespace: string,
    app: string,
    isWanted: (pods: readonly Pod[]) => boolean,
  ): Promise<readonly Pod[]> {
    const options = { namespace, labelSelector: `app=${app}`, timeoutMs: CHANGE_LIMIT_MS };
    return waitForList<Pod>(this.client, PODS, isWanted, options);
  }

  /** Resolves with a node when it is as wanted. */
  async node(name: string, isWanted: (node: Node) => boolean): Promise<Node> {
    let seen: Node | undefined;
    await waitForObject<Node>(
      this.client,
      NODES,
      name,
      (node) => {
        seen = node;
        return node !== undefined && isWanted(node);
      },
      { timeoutMs: CHANGE_LIMIT_MS },
    ).catch((cause: unknown) => {
      throw new Error(`node ${name}: ${JSON.stringify(seen)}`, { cause });
    });
    if (seen === undefined) throw new Error(`node ${name} is not there`);
    return seen;
  }

  /** Applies YAML text. */
  async apply(namespace: string, text: string): Promise<void> {
    const { signal } = new AbortController();
    const manifests = sortForApply(parseManifests('test.yaml', text, []));
    await applyManifests(manifests, {
      client: this.client,
      kinds: new KindResolver(this.client),
      namespace,
      signal,
    });
  }

  /** Creates experiment, account and engine of a fault, in this order, and gives the run. */
  async run(fault: string, options: FaultRunOptions): Promise<FaultRun> {
    const { client } = this;
    const { namespace, pods = [] } = options;
    await this.apply(namespace, `${experimentOf(fault)}---${accountOf(namespace)}`);
    const TARGETS = pods.length === 0 ? '' : `pod:${namespace}:[${pods.join(',')}]`;
    const env = { TOTAL_CHAOS_DURATION: '4', DEFAULT_HEALTH_CHECK: 'false', TARGETS, ...options.env };
    const components = {
      ...(options.nodeSelector === undefined ? {} : { nodeSelector: options.nodeSelector }),
      env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
      ...(options.statusCheckSeconds === undefined
        ? {}
        : { statusCheckTimeouts: { timeout: options.statusCheckSeconds, delay: 1 } }),
    };
    const name = `eng-${randomUUID().slice(0, 6)}`;
    const createdAt = Date.now();
    await client.create<ChaosEngine>(
      CHAOS_ENGINES,
      {
        metadata: { name },
        spec: {
          engineState: 'active',
          chaosServiceAccount: 'chaos',
          experiments: [{ name: fault, spec: { components, probe: [...(options.probes ?? [])] } }],
          ...options.engine,
        },
      },
      { namespace },
    );
    const result = (isWanted: (result: ChaosResult) => boolean, limitMs: number): Promise<ChaosResult> =>
      this.#result(`${name}-${fault}`, namespace, isWanted, limitMs);
    return {
      namespace,
      engine: name,
      createdAt,
      injected: async (count = 1) => {
        const found = await result((one) => allInjected(one, count) || isOver(one), LIMIT_MS);
        if (!allInjected(found, count)) {
          const { experimentStatus, timeline } = found.status ?? {};
          throw new Error(`${fault} was never in force: ${JSON.stringify({ experimentStatus, timeline })}`);
        }
        return Object.values(found.status?.ledger ?? {});
      },
      ended: (moreMs = 0) => result(isOver, LIMIT_MS + moreMs + 1000 * Number(env.TOTAL_CHAOS_DURATION)),
      until: (isWanted) => result((one) => isWanted(one) || isOver(one), LIMIT_MS),
      abort: async () => {
        await client.patch(CHAOS_ENGINES, name, 'merge', { spec: { engineState: 'stop' } }, { namespace });
      },
    };
  }

  /** Kills the experiment of a namespace's run, as the kernel would. */
  async killExperiment(namespace: string): Promise<void> {
    process.kill(await this.experimentProcess(namespace), 'SIGKILL');
  }

  /** The first process of the experiment of a namespace's run. */
  experimentProcess(namespace: string): Promise<number> {
    return this.#processOf(namespace, ({ labels }) => labels?.['job-name'] !== undefined);
  }

  /** The first process of the helper of a namespace's run that has only one. */
  helperProcess(namespace: string): Promise<number> {
    return this.#processOf(namespace, ({ name }) => name.includes('-helper-'));
  }

  /** A kubelet may say that a container runs when it has long been at work. */
  async #processOf(namespace: string, isMeant: (metadata: Pod['metadata']) => boolean): Promise<number> {
    const idOf = ({ metadata, status }: Pod): string | undefined => {
      const [container] = status?.containerStatuses ?? [];
      return isMeant(metadata) && container?.state?.running !== undefined ? container.containerID : undefined;
    };
    const isThere = (pods: readonly Pod[]): boolean => pods.some((pod) => idOf(pod) !== undefined);
    const pods = await waitForList<Pod>(this.client, PODS, isThere, { namespace, timeoutMs: LIMIT_MS });
    const id = pods.map(idOf).find((one) => one !== undefined);
    return (await locateContainer(id ?? '')).pid;
  }

  async #result(
    name: string,
    namespace: string,
    isWanted: (result: ChaosResult) => boolean,
    timeoutMs: number,
  ): Promise<ChaosResult> {
    let seen: ChaosResult | undefined;
    await waitForObject<ChaosResult>(
      this.client,
      CHAOS_RESULTS,
      name,
      (found) => {
        seen = found;
        return found !== undefined && isWanted(found);
      },
      { namespace, timeoutMs },
    ).catch((cause: unknown) => {
      throw new Error(`result ${namespace}/${name}: ${JSON.stringify(seen?.status)}`, { cause });
    });
    if (seen === undefined) throw new Error(`result ${name} is not there`);
    return seen;
  }
}

/** The one image that is surely there, with a shell and Node, and root as in the images that stand for it here. */
function realImage({ image, pullPolicy }: ClusterSettings): Partial<Container> {
  return { image, imagePullPolicy: pullPolicy, securityContext: { runAsUser: 0, runAsGroup: 0 } };
}

/** Whether all containers of a pod are ready. */
export function isReady(pod: Pod): boolean {
  const statuses = pod.status?.containerStatuses ?? [];
  return statuses.length > 0 && statuses.every(({ ready }) => ready === true);
}

function allInjected({ status }: ChaosResult, count: number): boolean {
  const entries = Object.values(status?.ledger ?? {});
  return entries.length >= count && entries.every(({ state }) => state === 'injected');
}

function isOver({ status }: ChaosResult): boolean {
  const phase = status?.experimentStatus?.phase ?? '';
  return ['Completed', 'Stopped', 'Error', 'Completed_With_Probe_Failure'].includes(phase);
}

/** A ChaosExperiment in the form of the charts. */
function experimentOf(name: string): string {
  return `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: ${name} }
spec:
  definition:
    scope: Namespaced
    image: litmuschaos/go-runner:latest
    imagePullPolicy: Always
    command: [/bin/bash]
    args: [-c, ./experiments -name ${name}]
    labels: { name: ${name} }
`;
}

/** An account that may do what the charts of all faults ask for together. */
function accountOf(namespace: string): string {
  return `
apiVersion: v1
kind: ServiceAccount
metadata: { name: chaos }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: chaos-${namespace} }
subjects: [{ kind: ServiceAccount, name: chaos, namespace: ${namespace} }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
`;
}
