import type { Endpoints, Namespace, NetworkPolicy, Pod, Service } from '../api/core.ts';
import {
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  NETWORK_POLICIES,
  PODS,
  SERVICES,
} from '../api/resources.ts';
import type { KubeClient } from '../kube/client/types.ts';
import { type Clock, EventRecorder } from '../kube/runtime/index.ts';
import type { ApiServer } from './apiserver/index.ts';
import type { InformerFactory } from './controllers/index.ts';
import type { EndpointSlice } from './controllers/shared/types.ts';
import {
  hostResolver,
  type IsolationOutcome,
  notEnforced,
  PolicyEnforcer,
  policiesMissing,
  policiesRefused,
  runNft,
  ServiceNetwork,
  startClusterDns,
} from './node/index.ts';

/** What the network of a cluster is made from. */
export interface ClusterNetworkOptions {
  readonly isolated: IsolationOutcome;
  /** Whether services have addresses of their own. */
  readonly separateAddresses: boolean;
  /** File of the name table for the preload. */
  readonly hostsFile: string;
  readonly informers: InformerFactory;
  readonly client: KubeClient;
  readonly server: Pick<ApiServer, 'warnWriters'>;
  readonly clock: Clock;
}

/** Services, names and policies of a cluster. */
export interface ClusterNetwork extends AsyncDisposable {
  /** Undefined where nobody enforces policies. */
  readonly policies: PolicyEnforcer | undefined;
  /** Why nobody does. */
  readonly policiesMissing: string | undefined;
}

/** Starts the proxy of services, cluster DNS where pods ask it, and the enforcement of NetworkPolicies where pods can be cut off. */
export async function startClusterNetwork(options: ClusterNetworkOptions): Promise<ClusterNetwork> {
  const { informers, clock, client, server } = options;
  const { isolation } = options.isolated;
  await using stack = new AsyncDisposableStack();
  const events = new EventRecorder({ client, component: 'kube-proxy', clock });
  const followed = {
    services: informers.view<Service>(SERVICES).informer,
    slices: informers.view<EndpointSlice>(ENDPOINT_SLICES).informer,
    endpoints: informers.view<Endpoints>(ENDPOINTS).informer,
  };
  const sayNotEnforced = (why: string): void => server.warnWriters(NETWORK_POLICIES, notEnforced(why));
  const missing = policiesMissing(options.isolated.isolation ? undefined : options.isolated.missing);
  if (missing !== undefined) sayNotEnforced(missing);
  const policies =
    isolation === undefined || missing !== undefined
      ? undefined
      : new PolicyEnforcer({
          ...followed,
          policies: informers.view<NetworkPolicy>(NETWORK_POLICIES).informer,
          pods: informers.view<Pod>(PODS).informer,
          namespaces: informers.view<Namespace>(NAMESPACES).informer,
          serviceCidr: isolation.addresses.serviceCidr,
          gateway: isolation.addresses.gateway,
          dns: isolation.addresses.dnsAddress,
          apply: runNft,
          clock,
          onProblem: (pod, message) =>
            events.record(
              { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata },
              { type: 'Warning', reason: 'NetworkPolicyNotEnforced', message },
            ),
          onChange: () => network.recheck(),
        });
  // Nobody waits for it: a policy that is written so early is enforced, or an Event says that it is not.
  if (policies !== undefined) {
    stack.defer(() => policies.close());
    void policiesRefused().then((why) => {
      if (why !== undefined) sayNotEnforced(why);
    });
  }
  const network = new ServiceNetwork({
    ...followed,
    hostsFile: options.hostsFile,
    separateAddresses: options.separateAddresses,
    clock,
    random: Math.random,
    ...(policies === undefined
      ? {}
      : { mayTalk: (client, service, backend) => policies.mayTalk(client, service, backend) }),
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
      upstream: hostResolver().nameservers.map((address) => ({ address })),
      clock,
      random: Math.random,
      onProblem: () => {},
    });
    stack.defer(() => dns.close());
  }
  network.start();
  const opened = stack.move();
  return {
    policies,
    policiesMissing: missing,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
