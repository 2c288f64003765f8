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
import { blockClaim } from '@turnsole/cluster/node/network/private-block';
import { ServiceNetwork } from '@turnsole/cluster/node/network/service-network';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Endpoints, Node, Pod, Service } from '@turnsole/kube/kinds/core';
import { ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { Informer, systemClock } from '@turnsole/kube/runtime/index';
import { NameServer } from './name-server.ts';
import { enforcePolicies } from './policies.ts';

const run = promisify(execFile);

/** Addresses of services on a rig: 10.96.0.0/16. */
const BLOCK = 96;
const ROUTE = ['local', `10.${BLOCK}.0.0/16`, 'dev', 'lo'] as const;

/**
 * Does what kube-proxy, the cluster's DNS and the enforcement of NetworkPolicies do, on a cluster of this machine that has none of them,
 * by the parts that do it on an embedded one. Leaves nothing on the machine when it is closed.
 */
export async function openClusterNetwork(client: KubeClient): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const services = new Informer<Service>({ client, resource: SERVICES });
  const endpoints = new Informer<Endpoints>({ client, resource: ENDPOINTS });
  // Older servers do not have them in the version that is read here; Endpoints say the same.
  const slices = new Informer<EndpointSlice>({ client, resource: ENDPOINT_SLICES });
  const pods = new Informer<Pod>({ client, resource: PODS });
  for (const informer of [services, endpoints, pods]) {
    opened.defer(() => informer.stop());
    informer.start();
    await informer.whenSynced();
  }
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-cluster-network-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const claim = await claimName(blockClaim(BLOCK));
  if (claim === undefined) {
    throw new Error(
      `an embedded cluster on this machine has the addresses 10.${BLOCK}.0.0/16, which are the rig's; try again when it has ended`,
    );
  }
  opened.defer(() => claim.release());
  // So that this machine may listen on these addresses.
  await run('ip', ['route', 'replace', ...ROUTE]);
  opened.defer(() => run('ip', ['route', 'del', ...ROUTE]).then(() => {}));
  const nameServers = getServers().filter(isIPv4);
  const { items } = await client.list<Node>(NODES);
  const [{ spec } = {}] = items;
  const policies = opened.use(
    await enforcePolicies(
      client,
      { services, endpoints, slices, pods },
      {
        serviceCidr: `10.${BLOCK}.0.0/16`,
        gateway: firstAddress(spec?.podCIDR ?? ''),
        dns: nameServers[0] ?? '127.0.0.1',
      },
      () => network.recheck(),
    ),
  );
  const network = new ServiceNetwork({
    ...{ services, endpoints, slices, clock: systemClock, random: Math.random },
    mayTalk: (client, service, backend) => policies.mayTalk(client, service, backend),
    hostsFile: join(folder, 'hosts.json'),
    separateAddresses: true,
    onProblem: (_, message) => console.error(message),
  });
  opened.defer(() => network.close());
  network.start();

  const names = opened.use(
    await NameServer.start({
      zone: () => buildZone(knownServices({ services, slices, endpoints }), 'cluster.local'),
      namespaceOf: (address) => namespaceOf(pods, address),
      nameServers,
    }),
  );
  for (const { spec } of items) {
    for (const nameServer of nameServers) {
      for (const protocol of ['udp', 'tcp']) {
        const match = ['-s', spec?.podCIDR ?? '', '-d', nameServer, '-p', protocol, '--dport', '53'];
        const rule = ['PREROUTING', ...match, '-j', 'REDIRECT', '--to-ports', String(names.port)];
        await run('iptables', ['-t', 'nat', '-I', ...rule]);
        opened.defer(() => run('iptables', ['-t', 'nat', '-D', ...rule]).then(() => {}));
      }
    }
  }
  return opened.move();
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
