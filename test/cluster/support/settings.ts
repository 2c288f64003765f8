/**
 * How `npm run test:cluster` tells its tests which cluster they work on: by the environment, because each file is a process of its
 * own. Without it the tests of this folder are skipped, and those of test/faults start an embedded cluster.
 */
import { readFileSync } from 'node:fs';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';

/** A cluster that stands, with Turnsole installed in it. */
export interface ClusterSettings {
  readonly kubeconfig: string;
  /** The image of Turnsole; targets run it as well. */
  readonly image: string;
  readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /** Image of other people's programs, as far as tests need them (test/faults/support/Dockerfile); undefined: there is none. */
  readonly standIns?: string;
  /** Tag of the images of the steps of Litmus' workflows (steps.Dockerfile); undefined: there are none. */
  readonly stepsTag?: string;
  /** Namespace of the installation. */
  readonly namespace: string;
  /** Namespace of engines that has the faults' accounts. */
  readonly shop: string;
  /** File that figures are appended to. */
  readonly figures: string;
  /** Whether NetworkPolicies are known to be enforced. */
  readonly enforcesPolicies: boolean;
  /** Program of OpenTelemetry's collector (test/traces/collector); undefined: a receiver of the tests stands in for it. */
  readonly collector?: string;
  /** What stood in the cluster before: one line per object. */
  readonly inventory: string;
}

const VARIABLE = 'TURNSOLE_TEST_CLUSTER';

/** What the environment says; undefined where it says nothing. */
export function clusterSettings(env: NodeJS.ProcessEnv = process.env): ClusterSettings | undefined {
  const text = env[VARIABLE];
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as ClusterSettings);
}

/** The environment for tests of a cluster. */
export function clusterEnvironment(settings: ClusterSettings): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(settings) };
}

/** Why tests of a cluster cannot run here, or false when they can. */
export const noCluster: string | false =
  clusterSettings() === undefined ? 'takes a Kubernetes cluster: npm run test:cluster' : false;

/** A client of the cluster as its administrator. */
export async function connect({ kubeconfig }: Pick<ClusterSettings, 'kubeconfig'>): Promise<KubeClient> {
  return createClient(await loadKubeconfig({ path: kubeconfig }));
}

/** Whether pods run on this machine, so that tests can look at their processes and end them. */
export async function isNodeHere(client: KubeClient): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const { items } = await client.list<Node>(NODES);
  return items.length > 0 && items.every(({ status }) => status?.nodeInfo?.bootID === boot);
}
