import type { SimulatedRun, SimulationRule } from '@turnsole/cluster/node/simulated/plan';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { NAMESPACES } from '@turnsole/kube/kinds/resources';
import { COMPONENT_RUNNER, LABEL_CHAOS_UID, LABEL_COMPONENT } from '../../src/api/index.ts';
import { startChaosCluster } from '../../src/embedded/index.ts';
import { operatorObjects } from '../../src/services/install/operator-objects.ts';
import type { InstallSettings } from '../../src/services/install/settings.ts';
import { chaosAccount, documents, experiment } from '../../test/support/manifests.ts';
import { storeResult, untilAborted } from '../../test/support/stand-in-cluster.ts';
import { applyText } from '../../test/support/up.ts';
import { Runners } from './runners.ts';

export const NAMESPACE = 'default';
/** Namespace of the operator. */
export const HOME = 'litmus';
/** The fault that the engines name; stand-ins carry it out. */
export const EXPERIMENT = 'pod-delete';
const NODES = 10;
const PODS_PER_NODE = 500;
const TOKEN_SECONDS = 24 * 3600;

/** The cluster that the operator works on. */
export interface BenchCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly runners: Runners;
  /** For a service account: the configuration that its pods would have. */
  configOf(
    namespace: string,
    account: string,
  ): Promise<{
    readonly config: Required<Pick<ClusterConfig, 'server' | 'certificateAuthority' | 'namespace'>>;
    readonly token: string;
  }>;
}

/** How the cluster is set up. */
export interface BenchClusterOptions {
  /** Whether the engines' service account may watch pods; those of upstream's charts may not. */
  readonly mayWatch: boolean;
}

/** Starts an embedded cluster in this process whose nodes are simulated; runners work in a process of their own. */
export async function startBenchCluster({ mayWatch }: BenchClusterOptions): Promise<BenchCluster> {
  await using stack = new AsyncDisposableStack();
  const runners = new Runners();
  stack.defer(() => runners.stop());
  const rules: SimulationRule[] = [
    (pod) => {
      if (pod.metadata.labels?.[LABEL_COMPONENT] === COMPONENT_RUNNER) return { act: runRunnerOf };
      return pod.metadata.labels?.[LABEL_CHAOS_UID] === undefined ? undefined : { act: standInExperiment };
    },
  ];
  const embedded = await startChaosCluster({
    nodes: NODES,
    runtime: { kind: 'simulated', rules, capacity: { cpus: 64, pods: PODS_PER_NODE } },
  });
  stack.defer(() => embedded.close({ graceMs: 0 }));
  const client = createClient(embedded.adminConfig);
  stack.defer(() => client.close());
  const { certificateAuthority = '' } = await loadKubeconfig({ path: embedded.kubeconfigPath });

  const tokens = new Map<string, Promise<string>>();
  const configOf: BenchCluster['configOf'] = async (namespace, account) => {
    const key = `${namespace}/${account}`;
    const token = tokens.get(key) ?? requestToken(client, namespace, account);
    tokens.set(key, token);
    return { config: { server: embedded.server, certificateAuthority, namespace }, token: await token };
  };
  async function runRunnerOf({ pod, signal }: SimulatedRun): Promise<number> {
    const account = pod.spec?.serviceAccountName ?? 'default';
    const credentials = await configOf(pod.metadata.namespace ?? '', account);
    return runners.run({ env: plainEnvironment(pod), ...credentials, signal });
  }
  await prepare(client, mayWatch);
  const owned = stack.move();
  return { client, runners, configOf, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The operator's account with the rights that `turnsole install` gives it, the engines' account, and the fault's definition. */
async function prepare(client: KubeClient, mayWatch: boolean): Promise<void> {
  const settings: InstallSettings = {
    namespace: HOME,
    image: 'turnsole',
    pullPolicy: 'IfNotPresent',
    pullSecrets: [],
    watchNamespace: undefined,
    replicas: 2,
    leaderElect: true,
    priorityClass: undefined,
    webhook: false,
    workflows: false,
    subscriber: false,
    controlPlane: undefined,
    eventTracker: false,
    otlpEndpoint: undefined,
    exporter: false,
    serviceMonitor: false,
    instanceId: undefined,
    faults: [],
    faultNamespaces: [],
    faultScope: 'namespaced',
    platform: {},
  };
  await client.create(NAMESPACES, { metadata: { name: HOME } });
  const access = operatorObjects(settings).filter(({ kind }) => /^ServiceAccount$|Role/.test(kind));
  const watching = "  - { apiGroups: [''], resources: [pods], verbs: [watch] }\n";
  const account = chaosAccount();
  await applyText(
    client,
    documents(
      ...access.map((object) => JSON.stringify(object)),
      mayWatch ? account.replace('rules:\n', `rules:\n${watching}`) : account,
      experiment(EXPERIMENT),
    ),
  );
}

async function requestToken(client: KubeClient, namespace: string, account: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const { status } = await client.raw<{ readonly status: { readonly token: string } }>('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  });
  return status.token;
}

/** Variables of a pod's first container, of which ours have plain values and names of the pod only. */
function plainEnvironment({ metadata, spec }: Pod): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { name, value, valueFrom } of spec?.containers[0]?.env ?? []) {
    env[name] = valueFrom?.fieldRef?.fieldPath === 'metadata.name' ? metadata.name : (value ?? '');
  }
  return env;
}

/** In place of an experiment: stores the result, takes as long as TOTAL_CHAOS_DURATION says, stores the verdict. */
async function standInExperiment({ pod, container, client, clock, signal }: SimulatedRun): Promise<number> {
  const env = plainEnvironment(pod);
  const program = { pod, container, env, client, signal };
  await storeResult(program, 'Running', 'Awaited');
  await Promise.race([
    clock.sleep(Number(env.TOTAL_CHAOS_DURATION) * 1000, signal).catch(() => {}),
    untilAborted(signal),
  ]);
  if (signal.aborted) return 1;
  await storeResult(program, 'Completed', 'Pass');
  return 0;
}
