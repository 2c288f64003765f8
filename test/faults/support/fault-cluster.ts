/** An embedded cluster with isolated pods and an operator, for tests that look at a fault's effect from outside. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  type Container,
  type LedgerEntry,
  NAMESPACES,
  PODS,
  type Pod,
  type PodSpec,
  SERVICE_ACCOUNTS,
} from '../../../src/api/index.ts';
import { startLocalOperator } from '../../../src/cli/cluster.ts';
import { applyManifests, sortForApply } from '../../../src/cli/manifests/apply.ts';
import { KindResolver } from '../../../src/cli/manifests/discovery.ts';
import { parseManifests } from '../../../src/cli/manifests/load.ts';
import { JOURNAL_FOLDER } from '../../../src/experiment/helper/journal.ts';
import { createClient } from '../../../src/kube/client/index.ts';
import type { KubeClient } from '../../../src/kube/client/types.ts';
import { waitForObject } from '../../../src/kube/runtime/wait.ts';
import { startEmbeddedCluster } from '../../../src/local/index.ts';
import { probeIsolation } from '../../../src/local/node/runtime/isolated/probe.ts';

/** Why effects cannot be tested here, or false when they can. */
export const effectsImpossible: string | false = await (async () => {
  const place = mkdtempSync(join(tmpdir(), 'turnsole-effects-'));
  const probe = await probeIsolation(place, 'probe');
  if (probe.available) rmSync(probe.layers, { recursive: true, force: true });
  rmSync(place, { recursive: true, force: true });
  return probe.available
    ? false
    : `effects are on isolated pods, which there cannot be here: ${probe.missing}`;
})();

/** Far more than anything here takes; a wait that lasts so long has failed. */
const LIMIT_MS = 30_000;

/** An engine under way. */
export interface FaultRun {
  readonly namespace: string;
  /** Date.now() when the engine was created. */
  readonly createdAt: number;
  /** Resolves when the ledger says that everything planned is in force. @throws Error with the result when the run is over before */
  injected(): Promise<readonly LedgerEntry[]>;
  /** Resolves with the result when the run is over. */
  ended(): Promise<ChaosResult>;
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
}

/** The cluster of one test file. */
export class FaultCluster {
  readonly client: KubeClient;
  readonly kubeconfigPath: string;

  readonly #close: () => Promise<void>;
  readonly #namespaces: string[] = [];

  private constructor(client: KubeClient, kubeconfigPath: string, close: () => Promise<void>) {
    this.client = client;
    this.kubeconfigPath = kubeconfigPath;
    this.#close = close;
  }

  /** @param nodes @default 1 */
  static async start(nodes = 1): Promise<FaultCluster> {
    const embedded = await startEmbeddedCluster({ isolation: 'full', nodes });
    const client = createClient(embedded.adminConfig);
    const operator = await startLocalOperator(client, false);
    return new FaultCluster(client, embedded.kubeconfigPath, async () => {
      await operator.stop();
      client.close();
      await embedded.close({ graceMs: 0 });
    });
  }

  /** Ends it with all of its pods. */
  async close(): Promise<void> {
    await this.#close();
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
    await this.client.create(NAMESPACES, { metadata: { name } });
    // Pods need the account that a controller makes for each namespace.
    await waitForObject(this.client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
      namespace: name,
      timeoutMs: LIMIT_MS,
    });
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
    const name = `eng-${randomUUID().slice(0, 6)}`;
    const createdAt = Date.now();
    await client.create<ChaosEngine>(
      CHAOS_ENGINES,
      {
        metadata: { name },
        spec: {
          engineState: 'active',
          chaosServiceAccount: 'chaos',
          experiments: [
            {
              name: fault,
              spec: {
                components: { env: Object.entries(env).map(([key, value]) => ({ name: key, value })) },
              },
            },
          ],
        },
      },
      { namespace },
    );
    const result = (isWanted: (result: ChaosResult) => boolean, limitMs: number): Promise<ChaosResult> =>
      this.#result(`${name}-${fault}`, namespace, isWanted, limitMs);
    return {
      namespace,
      createdAt,
      injected: async () => {
        const found = await result((one) => allInjected(one) || isOver(one), LIMIT_MS);
        if (!allInjected(found)) {
          const { experimentStatus, timeline } = found.status ?? {};
          throw new Error(`${fault} was never in force: ${JSON.stringify({ experimentStatus, timeline })}`);
        }
        return Object.values(found.status?.ledger ?? {});
      },
      ended: () => result(isOver, LIMIT_MS + 1000 * Number(env.TOTAL_CHAOS_DURATION)),
      abort: async () => {
        await client.patch(CHAOS_ENGINES, name, 'merge', { spec: { engineState: 'stop' } }, { namespace });
      },
    };
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

/** Whether all containers of a pod are ready. */
export function isReady(pod: Pod): boolean {
  const statuses = pod.status?.containerStatuses ?? [];
  return statuses.length > 0 && statuses.every(({ ready }) => ready === true);
}

function allInjected({ status }: ChaosResult): boolean {
  const entries = Object.values(status?.ledger ?? {});
  return entries.length > 0 && entries.every(({ state }) => state === 'injected');
}

function isOver({ status }: ChaosResult): boolean {
  const phase = status?.experimentStatus?.phase ?? '';
  return ['Completed', 'Stopped', 'Error', 'Completed_With_Error'].includes(phase);
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
