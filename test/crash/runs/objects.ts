/** What chaos has in force in objects: policies, taints, cordons, stopped agents, replicas, clients. */

import { AGENT_ANNOTATION } from '@turnsole/cluster/node/agent-mode';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject, Node, Pod } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  NETWORK_POLICIES,
  NODES,
  PODS,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, type ChaosEngine, LABEL_CHAOS_UID } from '../../../src/api/index.ts';
import { CLAIMS_ANNOTATION } from '../../../src/faults/node/claims.ts';
import { REPLICAS } from './application.ts';
import type { Effect } from './effect.ts';

/** An API server that does not answer for so long is away. */
export const LOOK_LIMIT_MS = 5_000;
/** Pods that faults put up beside applications; those of runs themselves have the label as well. */
const CLIENT_POD = /^(k6-loadgen-helper|kafka-liveness|cassandra-liveness)-/;

/** The API's part of a look; kept for when the server is away. */
export interface Objects {
  readonly pods: readonly Pod[];
  readonly maps: readonly KubeObject[];
  readonly policies: readonly KubeObject[];
  readonly nodes: readonly Node[];
  readonly deployments: readonly Deployment[];
  readonly services: readonly KubeObject[];
  readonly engines: readonly ChaosEngine[];
}

/** Reads all of it. @throws when the server does not answer */
export async function readObjects(client: KubeClient): Promise<Objects> {
  const options = { namespace: 'default', timeoutMs: LOOK_LIMIT_MS };
  const [pods, maps, policies, nodes, deployments, services, engines] = await Promise.all([
    client.list<Pod>(PODS, options),
    client.list(CONFIG_MAPS, options),
    client.list(NETWORK_POLICIES, options),
    client.list<Node>(NODES, { timeoutMs: LOOK_LIMIT_MS }),
    client.list<Deployment>(DEPLOYMENTS, options),
    client.list(SERVICES, { ...options, labelSelector: LABEL_CHAOS_UID }),
    client.list<ChaosEngine>(CHAOS_ENGINES, options),
  ]);
  return {
    pods: pods.items,
    maps: maps.items,
    policies: policies.items,
    nodes: nodes.items,
    deployments: deployments.items,
    services: services.items,
    engines: engines.items,
  };
}

/** @param strict also what stands for nothing in force by itself: claims on nodes */
export function ofObjects(objects: Objects, strict: boolean): Effect[] {
  const { policies, nodes, deployments } = objects;
  return [
    ...policies.map(ofPolicy),
    ...nodes.flatMap((node) => ofNode(node, strict)),
    ...deployments.flatMap(ofReplicas),
    ...ofClients(objects),
  ];
}

function ofPolicy(policy: KubeObject): Effect {
  // A NetworkPolicy: its selector has the labels of the pods it cuts off.
  const { spec } = policy as { spec?: { podSelector?: { matchLabels?: Record<string, string> } } };
  const of = spec?.podSelector?.matchLabels?.app;
  return { what: `policy ${policy.metadata.name}`, of, node: undefined };
}

function ofNode({ metadata, spec }: Node, strict: boolean): Effect[] {
  const { name, annotations = {} } = metadata;
  const own = (spec?.taints ?? []).filter(({ key }) => !key.startsWith('node.kubernetes.io/'));
  // Named after the application of the engine that has set them.
  const effects: Effect[] = own.map(({ key }) => ({
    what: `taint ${key} of ${name}`,
    of: key,
    node: undefined,
  }));
  const nobodys = (what: string): void =>
    void effects.push({ what: `${what} of ${name}`, of: undefined, node: undefined });
  if (spec?.unschedulable === true) nobodys('cordon');
  const claims = annotations[CLAIMS_ANNOTATION] ?? '{}';
  if (strict && claims !== '{}') nobodys(`claims ${claims}`);
  const agent = annotations[AGENT_ANNOTATION];
  if (agent !== undefined) {
    effects.push({ what: `agent of ${name} ${agent}`, of: undefined, node: name, inObject: true });
  }
  return effects;
}

function ofReplicas({ metadata, spec }: Deployment): Effect[] {
  if (isClient(metadata) || spec?.replicas === REPLICAS) return [];
  return [{ what: `${spec?.replicas} replicas`, of: metadata.name, node: undefined }];
}

/** Load generators and clients of databases; a pod that has ended does nothing. */
function ofClients({ pods, deployments, services, engines }: Objects): Effect[] {
  const running = pods.filter(
    ({ metadata, status }) =>
      CLIENT_POD.test(metadata.name) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  const found: readonly [string, readonly KubeObject[]][] = [
    ['pod', running],
    ['deployment', deployments.filter(({ metadata }) => isClient(metadata))],
    ['service', services],
  ];
  const names = new Map(engines.map(({ metadata }) => [metadata.uid, metadata.name]));
  return found.flatMap(([kind, objects]) =>
    objects.map(({ metadata }) => ({
      what: `${kind} ${metadata.name}`,
      of: names.get(metadata.labels?.[LABEL_CHAOS_UID]),
      node: undefined,
    })),
  );
}

function isClient({ labels }: KubeObject['metadata']): boolean {
  return labels?.[LABEL_CHAOS_UID] !== undefined;
}
