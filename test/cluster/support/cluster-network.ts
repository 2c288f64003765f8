import { execFile } from 'node:child_process';
import { getServers } from 'node:dns';
import { mkdtemp, rm } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EndpointSlice } from '@turnsole/cluster/controllers/shared/types';
import { buildZone } from '@turnsole/cluster/node/dns/zone';
import { claimName } from '@turnsole/cluster/node/network/claim';
import { knownServices } from '@turnsole/cluster/node/network/followed-services';
import type { PolicyEnforcer } from '@turnsole/cluster/node/network/policy/policy-enforcer';
import { blockClaim } from '@turnsole/cluster/node/network/private-block';
import { ServiceNetwork } from '@turnsole/cluster/node/network/service-network';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Endpoints, Node, Pod, Service } from '@turnsole/kube/kinds/core';
import { ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { Informer, systemClock } from '@turnsole/kube/runtime/index';
import { NameServer } from './name-server.ts';
import { enforcePolicies, type FollowedObjects } from './policies.ts';

const run = promisify(execFile);

/** Addresses of services on a rig. */
const BLOCK = 96;
const SERVICE_CIDR = `10.${BLOCK}.0.0/16`;
const ROUTE = ['local', SERVICE_CIDR, 'dev', 'lo'] as const;

/**
 * Does what a cluster of this machine lacks, by the parts that do it on an embedded one: the enforcement of NetworkPolicies, and where it has no
 * DNS of its own, what kube-proxy and that DNS do. Leaves nothing on the machine when it is closed.
 */
export async function openClusterNetwork(client: KubeClient): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const followed = await followObjects(client, opened);
  const { items: nodes } = await client.list<Node>(NODES);
  const ownDns = await client.find<Service>(SERVICES, 'kube-dns', { namespace: 'kube-system' });
  const nameServers = getServers().filter(isIPv4);
  const places = {
    serviceCidr: SERVICE_CIDR,
    gateway: firstAddress(nodes[0]?.spec?.podCIDR ?? ''),
    dns: ownDns?.spec?.clusterIP ?? nameServers[0] ?? '127.0.0.1',
  };
  let proxies: ServiceNetwork | undefined;
  const policies = opened.use(await enforcePolicies(client, followed, places, () => proxies?.recheck()));
  if (ownDns === undefined) {
    proxies = await proxyServices(followed, policies, opened);
    await answerNames(followed, nodes, nameServers, opened);
  }
  return opened.move();
}

/** Follows services, what stands behind them, and pods. */
async function followObjects(client: KubeClient, opened: AsyncDisposableStack): Promise<FollowedObjects> {
  const services = new Informer<Service>({ client, resource: SERVICES });
  const endpoints = new Informer<Endpoints>({ client, resource: ENDPOINTS });
  const slices = new Informer<EndpointSlice>({ client, resource: ENDPOINT_SLICES });
  const pods = new Informer<Pod>({ client, resource: PODS });
  for (const informer of [services, endpoints, slices, pods]) {
    opened.defer(() => informer.stop());
    informer.start();
    await informer.whenSynced();
  }
  return { services, endpoints, slices, pods };
}

/** What kube-proxy does: addresses of services lead to their pods. */
async function proxyServices(
  { services, endpoints, slices }: FollowedObjects,
  policies: PolicyEnforcer,
  opened: AsyncDisposableStack,
): Promise<ServiceNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-cluster-network-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const claim = await claimName(blockClaim(BLOCK));
  if (claim === undefined) {
    throw new Error(
      `an embedded cluster on this machine has the addresses ${SERVICE_CIDR}, which are the rig's; try again when it has ended`,
    );
  }
  opened.defer(() => claim.release());
  // So that this machine may listen on these addresses.
  await run('ip', ['route', 'replace', ...ROUTE]);
  opened.defer(() => run('ip', ['route', 'del', ...ROUTE]).then(() => {}));
  const network = new ServiceNetwork({
    ...{ services, endpoints, slices, clock: systemClock, random: Math.random },
    mayTalk: (source, service, backend) => policies.mayTalk(source, service, backend),
    hostsFile: join(folder, 'hosts.json'),
    separateAddresses: true,
    onProblem: (_, message) => console.error(message),
  });
  opened.defer(() => network.close());
  network.start();
  return network;
}

/** What the cluster's DNS does, at the addresses of this machine's own name servers, which its pods ask. */
async function answerNames(
  { services, endpoints, slices, pods }: FollowedObjects,
  nodes: readonly Node[],
  nameServers: readonly string[],
  opened: AsyncDisposableStack,
): Promise<void> {
  const names = opened.use(
    await NameServer.start({
      zone: () => buildZone(knownServices({ services, slices, endpoints }), 'cluster.local'),
      namespaceOf: (address) => namespaceOf(pods, address),
      nameServers,
    }),
  );
  for (const { spec } of nodes) {
    for (const nameServer of nameServers) {
      for (const protocol of ['udp', 'tcp']) {
        const match = ['-s', spec?.podCIDR ?? '', '-d', nameServer, '-p', protocol, '--dport', '53'];
        const rule = ['PREROUTING', ...match, '-j', 'REDIRECT', '--to-ports', String(names.port)];
        await run('iptables', ['-t', 'nat', '-I', ...rule]);
        opened.defer(() => run('iptables', ['-t', 'nat', '-D', ...rule]).then(() => {}));
      }
    }
  }
}

/** Where a plug-in of bridges puts the node. */
function firstAddress(cidr: string): string {
  return cidr.replace(/\.0\/\d+$/, '.1');
}

/** A kubelet may tell of a pod's address when the pod has long been at work; whoever asks for a name asks again after 5 s. */
const PATIENCE_MS = 4_000;

/** Namespace of the pod that has an address now. Those that have ended say which they had, and others may have these by now. */
async function namespaceOf(pods: Informer<Pod>, address: string): Promise<string | undefined> {
  const isMeant = ({ metadata, status }: Pod): boolean =>
    status?.podIP === address &&
    metadata.deletionTimestamp === undefined &&
    !['Succeeded', 'Failed'].includes(status.phase ?? '');
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const look = (pod: Pod): void => {
    if (isMeant(pod)) resolve(pod.metadata.namespace);
  };
  const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  const leave = pods.addHandler({ onAdd: look, onUpdate: look });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    leave();
  }
}
