/** Fifth stage: the agents of the nodes, which are started with the control plane. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigMap, Node, Secret } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import { EventRecorder, silentLogger } from '@turnsole/kube/runtime/index';
import {
  NodeAgent,
  type NodeAgentOptions,
  NodeFeed,
  nodeObject,
  readMachine,
  readUserNamespace,
  requestPodToken,
  SimulatedAddresses,
  type UserNamespace,
} from '../node/index.ts';
import type { Journals } from '../node/runtime/journals.ts';
import type { Host } from './host.ts';
import type { PodRuntime, PodRuntimeParts } from './pod-runtime.ts';

/** The parts of agents. */
interface AgentParts extends PodRuntimeParts {
  readonly pods: PodRuntime;
}

type Machine = ReturnType<typeof readMachine>;
type NodeAnnotations = Readonly<Record<string, string>> | undefined;
type References = NodeAgentOptions['context']['volumes']['references'];

/** Size of a simulated node by default. */
const SIMULATED_MACHINE = { cpus: 32, memoryBytes: 256 * 2 ** 30 } as const;
const PRELOAD = fileURLToPath(new URL('../node/preload.cjs', import.meta.url));

export function createAgents(parts: AgentParts): readonly NodeAgent[] {
  const { host, api, pods, options } = parts;
  const { client, followed } = api;
  const { simulated } = host;
  const { simulation } = pods;
  const machine = {
    ...readMachine(host.runDir),
    ...(simulated === undefined ? {} : SIMULATED_MACHINE),
    ...simulated?.capacity,
  };
  const annotations = options.annotateNodes?.({ notIsolated: host.notIsolated });
  const feed = new NodeFeed(followed);
  const uid = process.getuid?.();
  const shared = {
    client,
    feed,
    otherRunner: simulation?.runner.bind(simulation),
    rights: {
      root: uid === 0,
      uid,
      users: host.isolated.isolation === undefined ? undefined : readUserNamespace(),
    },
    logger: silentLogger,
  };
  return Array.from({ length: host.nodeCount }, (_, index) => {
    const node = describeNode(parts, machine, index, annotations);
    const { name } = node.metadata;
    return new NodeAgent({
      ...shared,
      node,
      heartbeat: heartbeatOf(parts, index),
      events:
        pods.simulatedEvents ??
        new EventRecorder({ client, component: 'kubelet', host: name, clock: parts.clock }),
      context: contextOf(parts, machine, name, hostAddress(parts, index)),
    });
  });
}

/** @param index of the node, from 0 */
function hostAddress({ host, pods }: AgentParts, index: number): string {
  return pods.simulation ? SimulatedAddresses.node(index + 1) : host.addresses.nodeAddress(index + 1);
}

function describeNode(
  parts: AgentParts,
  machine: Machine,
  index: number,
  annotations: NodeAnnotations,
): Node {
  const { host, pods, options, clock } = parts;
  const { simulated, addresses } = host;
  const isolated = host.isolated.isolation?.addresses;
  const name = `turnsole-${index + 1}`;
  return nodeObject({
    name,
    address: hostAddress(parts, index),
    podCidr: pods.simulation?.addresses.podCidr ?? isolated?.podCidr(index + 1) ?? addresses.podCidr,
    runtime: simulated?.kind ?? pods.runtime.name,
    machine,
    nowMs: clock.now(),
    index,
    labels: { ...options.nodeLabels?.['*'], ...options.nodeLabels?.[name] },
    annotations,
    maxPods: simulated?.capacity?.pods,
  });
}

/** Nodes renew four times in the time after which they are taken for lost, each at another moment. */
function heartbeatOf({ host, options }: AgentParts, index: number): NodeAgentOptions['heartbeat'] {
  const { nodeGraceMs } = options;
  return {
    phase: (index + 1) / host.nodeCount,
    intervalMs: nodeGraceMs === undefined ? undefined : nodeGraceMs / 4,
  };
}

/** Journals of pods go below the cluster's folder where theirs is root's, and this is only root of a namespace. */
function nodeFolders(
  { runDir }: Host,
  { isMachine }: UserNamespace,
  journals: Journals | undefined,
): ReadonlyMap<string, string> {
  if (journals === undefined || isMachine) return new Map();
  return new Map([[journals.folder, join(runDir, 'journals')]]);
}

/** The context of a node's pods. */
function contextOf(
  { host, api, network, pods, clock, options: { journals } }: AgentParts,
  machine: Machine,
  nodeName: string,
  hostIP: string,
): NodeAgentOptions['context'] {
  const { client, followed } = api;
  const users = readUserNamespace();
  const references: References = {
    configMap: (namespace, name) => client.find<ConfigMap>(CONFIG_MAPS, name, { namespace }),
    secret: (namespace, name) => client.find<Secret>(SECRETS, name, { namespace }),
  };
  return {
    clock,
    runtime: pods.runtime,
    images: pods.images,
    logs: pods.logs,
    launch: {
      imagesDirectory: pods.imagesDirectory,
      apiServer: api.podAddress,
      hostsFile: network.hostsFile,
      preload: PRELOAD,
      services: (namespace) => followed.services.lister.byIndex('namespace', namespace),
      references,
      machineSocket: pods.machineSocket,
    },
    volumes: {
      references,
      token: (pod, audience, seconds) => requestPodToken(client, pod, audience, seconds),
      clusterAuthority: api.authority,
    },
    claimsDirectory: join(host.dataDir, 'claims'),
    nodeFolders: nodeFolders(host, users, journals),
    users,
    node: {
      nodeName,
      hostIP,
      allocatable: { cpus: machine.cpus, memoryBytes: machine.memoryBytes },
    },
  };
}
