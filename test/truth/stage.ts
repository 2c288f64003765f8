/** The cluster on which the rows run: one for all of them, as a user starts it, with nodes that rows may take away. */
import { fileURLToPath } from 'node:url';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject, Node } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  RESOURCE_QUOTAS,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_EXPERIMENTS } from '../../src/api/index.ts';
import { type DetachedCluster, detachedCluster } from '../support/up.ts';
import { LOAD_IMAGE, METRICS_IMAGE, POOL_TAINT, SERVICE_IMAGE } from './application.ts';

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const PROGRAMS: Readonly<Record<string, string>> = {
  [SERVICE_IMAGE]: program('programs/service.mjs'),
  [METRICS_IMAGE]: program('programs/metrics.mjs'),
  [LOAD_IMAGE]: program('../faults/support/k6-stand-in.mjs'),
};

/** Nodes for everything that no row takes away. */
const COMMON_NODES = 2;

/** Far more than anything takes before chaos, also beside many others. */
const START_LIMIT_MS = 300_000;

const RESOURCES: Readonly<Record<string, Resource>> = {
  Service: SERVICES,
  Deployment: DEPLOYMENTS,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIMS,
  ConfigMap: CONFIG_MAPS,
  Secret: SECRETS,
  ResourceQuota: RESOURCE_QUOTAS,
};

/** A cluster with an operator. */
export class Stage implements AsyncDisposable {
  readonly #cluster: DetachedCluster;
  readonly #free: string[];
  readonly #waiting: (() => void)[] = [];

  private constructor(cluster: DetachedCluster, pool: readonly string[]) {
    this.#cluster = cluster;
    this.#free = [...pool];
  }

  /** @param poolNodes nodes that rows may take away */
  static async start(poolNodes: number): Promise<Stage> {
    const images = Object.entries(PROGRAMS).flatMap(([image, path]) => ['--image', `${image}=node ${path}`]);
    const nodes = String(COMMON_NODES + poolNodes);
    const cluster = await detachedCluster(['--isolation', 'full', '--nodes', nodes, ...images]);
    const pool = Array.from({ length: poolNodes }, (_, index) => `turnsole-${COMMON_NODES + index + 1}`);
    const taints = [{ key: POOL_TAINT, value: 'true', effect: 'NoSchedule' }];
    for (const name of pool) await cluster.client.patch<Node>(NODES, name, 'merge', { spec: { taints } });
    return new Stage(cluster, pool);
  }

  get client(): KubeClient {
    return this.#cluster.client;
  }

  get kubeconfig(): string {
    return this.#cluster.kubeconfig;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
  }

  /** A namespace with the account and the experiment of a row. */
  async open(namespace: string, fault: string): Promise<void> {
    const { client } = this;
    await client.create(NAMESPACES, { metadata: { name: namespace } });
    await waitForObject(client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
      namespace,
      timeoutMs: START_LIMIT_MS,
    });
    await client.create(SERVICE_ACCOUNTS, { metadata: { name: ACCOUNT } }, { namespace });
    await client.create(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: namespace },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    } as KubeObject);
    const definition = {
      scope: 'Namespaced',
      image: 'litmuschaos/go-runner:latest',
      imagePullPolicy: 'Always',
      command: ['/bin/bash'],
      args: ['-c', `./experiments -name ${fault}`],
      labels: { name: fault },
    };
    await client.create(
      CHAOS_EXPERIMENTS,
      { metadata: { name: fault }, spec: { definition } } as KubeObject,
      { namespace },
    );
  }

  /** Creates objects, and waits until those of them that are deployments have all their pods ready. */
  async apply(namespace: string, objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) {
      const resource = RESOURCES[object.kind ?? ''];
      if (resource === undefined) throw new Error(`the suite cannot make a ${object.kind}`);
      await this.client.create(resource, object, { namespace });
    }
    await Promise.all(
      objects
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata }) =>
          waitForObject<Deployment>(this.client, DEPLOYMENTS, metadata.name, isReady, {
            namespace,
            timeoutMs: START_LIMIT_MS,
          }),
        ),
    );
  }

  /** Lends nodes of the pool when there are as many; they are as before when they are given back. */
  async lend(count: number): Promise<readonly string[]> {
    while (this.#free.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#free.splice(0, count);
  }

  /** Gives nodes back once they are ready again. */
  async giveBack(nodes: readonly string[]): Promise<void> {
    for (const name of nodes) {
      await waitForObject<Node>(this.client, NODES, name, isUsable, { timeoutMs: START_LIMIT_MS });
    }
    this.#free.push(...nodes);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Removes what a row has made. */
  async close(namespace: string): Promise<void> {
    await this.client.delete(NAMESPACES, namespace);
    await this.client.delete(CLUSTER_ROLE_BINDINGS, namespace);
  }
}

/** Service account of the engines. */
export const ACCOUNT = 'chaos';

function isReady(deployment: Deployment | undefined): boolean {
  return (
    deployment?.spec?.replicas !== undefined && deployment.status?.readyReplicas === deployment.spec.replicas
  );
}

function isUsable(node: Node | undefined): boolean {
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && node?.spec?.unschedulable !== true && node?.spec?.taints?.length === 1;
}
