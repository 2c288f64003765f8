import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoints, Namespace, NetworkPolicy, Pod, Service } from '@turnsole/kube/kinds/core';
import {
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  NETWORK_POLICIES,
  PODS,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import { type Clock, EventRecorder, type Informer } from '@turnsole/kube/runtime/index';
import type { UndoStack } from '../base/undo-stack.ts';
import type { EndpointSlice } from '../controllers/shared/types.ts';
import {
  type Isolation,
  notEnforced,
  PolicyEnforcer,
  policiesMissing,
  policiesRefused,
  runNft,
  ServiceNetwork,
  startClusterDns,
} from '../node/index.ts';
import type { Api } from './api.ts';
import type { Host } from './host.ts';

/** Services, names and policies of a cluster. */
export interface NetworkOutcome {
  /** File of the name table, which the preload of Node programs reads. */
  readonly hostsFile: string;
  /** Undefined where policies are not enforced. */
  readonly policies?: PolicyEnforcer | undefined;
  /** Why they are not. */
  readonly policiesMissing: string | undefined;
}

/** Third stage: services, names and policies. Simulated pods have no network. */
export async function startNetwork(
  host: Host,
  api: Api,
  clock: Clock,
  stack: UndoStack,
): Promise<NetworkOutcome> {
  const hostsFile = join(host.runDir, 'hosts.json');
  if (host.simulated === undefined) return startServices(host, api, hostsFile, clock, stack);
  const policiesMissing = 'pods are simulated';
  writeFileSync(hostsFile, JSON.stringify({ hosts: {}, aliases: {}, ports: {} }));
  api.server.warnWriters(NETWORK_POLICIES, notEnforced(policiesMissing));
  return { hostsFile, policiesMissing };
}

interface Followed {
  readonly services: Informer<Service>;
  readonly slices: Informer<EndpointSlice>;
  readonly endpoints: Informer<Endpoints>;
}

/** Starts the proxy of services, cluster DNS where pods ask it, and the enforcement of NetworkPolicies where pods can be cut off. */
async function startServices(
  { isolated, addresses }: Host,
  api: Api,
  hostsFile: string,
  clock: Clock,
  stack: UndoStack,
): Promise<NetworkOutcome> {
  const { informers, client, server } = api;
  const { isolation } = isolated;
  const events = new EventRecorder({ client, component: 'kube-proxy', clock });
  const followed: Followed = {
    services: informers.view<Service>(SERVICES).informer,
    slices: informers.view<EndpointSlice>(ENDPOINT_SLICES).informer,
    endpoints: informers.view<Endpoints>(ENDPOINTS).informer,
  };
  const missing = policiesMissing(isolated.isolation ? undefined : isolated.missing);
  const policies =
    isolation === undefined || missing !== undefined
      ? undefined
      : createEnforcer(isolation, api, followed, events, clock, () => network.recheck());
  if (missing !== undefined) server.warnWriters(NETWORK_POLICIES, notEnforced(missing));
  stack.defer(() => policies?.close());
  const network = new ServiceNetwork({
    ...followed,
    hostsFile,
    separateAddresses: addresses.separate,
    clock,
    random: Math.random,
    mayTalk: policies?.mayTalk.bind(policies),
    onProblem: (service, message) =>
      events.record(
        { apiVersion: 'v1', kind: 'Service', metadata: service.metadata },
        { type: 'Warning', reason: 'PortNotAvailable', message },
      ),
  });
  stack.defer(() => network.close());
  if (isolation !== undefined) {
    const dns = await startClusterDns({
      ...followed,
      address: isolation.addresses.dnsAddress,
      upstream: isolation.resolvers.map((address) => ({ address })),
      clock,
      random: Math.random,
      onProblem: () => {},
    });
    stack.defer(() => dns.close());
  }
  network.start();
  return { hostsFile, policies, policiesMissing: missing };
}

/** Whether the kernel takes rules is not waited for: a policy that is written before is enforced, or an Event says that it is not. */
function createEnforcer(
  { addresses }: Isolation,
  { informers, server }: Api,
  followed: Followed,
  events: EventRecorder,
  clock: Clock,
  onChange: () => void,
): PolicyEnforcer {
  void policiesRefused().then((why) => {
    if (why !== undefined) server.warnWriters(NETWORK_POLICIES, notEnforced(why));
  });
  return new PolicyEnforcer({
    ...followed,
    policies: informers.view<NetworkPolicy>(NETWORK_POLICIES).informer,
    pods: informers.view<Pod>(PODS).informer,
    namespaces: informers.view<Namespace>(NAMESPACES).informer,
    serviceCidr: addresses.serviceCidr,
    gateway: addresses.gateway,
    dns: addresses.dnsAddress,
    apply: runNft,
    clock,
    onProblem: (pod, message) =>
      events.record(
        { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata },
        { type: 'Warning', reason: 'NetworkPolicyNotEnforced', message },
      ),
    onChange,
  });
}
