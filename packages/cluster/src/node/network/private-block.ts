import { networkInterfaces } from 'node:os';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { formatIPv4, parseIPv4 } from '../../base/ipv4.ts';
import { type AddressLease, AddressPool } from './address-pool.ts';
import { claimName } from './claim.ts';

/**
 * The private addresses of one cluster whose pods have networks of their own: 10.b.0.0/16.
 *
 * Services take 10.b.0.0/18 and nodes 10.b.64.0/18, all of which is local to the host without being configured one by
 * one. Pods and their gateway take 10.b.128.0/17, of which each node has an equal part.
 */
export interface PrivateBlock {
  /** b */
  readonly number: number;
  /** All of it. */
  readonly cidr: string;
  readonly serviceCidr: string;
  /** Address of the service `kubernetes`. */
  readonly apiAddress: string;
  readonly dnsAddress: string;
  /** Addresses that are local to the host: services and nodes. */
  readonly localCidr: string;
  /** All pods. */
  readonly podsCidr: string;
  readonly gateway: string;
  readonly podPrefix: number;
  nodeAddress(node: number): string;
  /** Number of the node with an address, from 1. */
  nodeOf(address: string): number;
  /** Pods of the n-th node, from 1. */
  podCidr(node: number): string;
  leasePodAddress(node: number): AddressLease;
  release(): Promise<void>;
}

const FIRST_BLOCK = 16;
const LAST_BLOCK = 254;
/** Networks of this many addresses are routes to somewhere, not places that have all of them. */
const BROAD = 2 ** 20;
const POD_ADDRESSES = 2 ** 15;
const MAX_NODE_ADDRESSES = 2 ** 12;
/** The first addresses of all: the network's own, and the gateway. */
const RESERVED = 2;

/** An IPv4 network. */
interface Network {
  readonly first: number;
  readonly last: number;
}

/**
 * Claims a block that neither another cluster nor a network of this machine has.
 *
 * The claim is a socket in Linux's abstract namespace: as scoped (network namespace) and as short-lived (this process)
 * as the addresses themselves.
 *
 * @throws Error when none is free
 */
export async function claimPrivateBlock(
  nodes: number,
  first = FIRST_BLOCK + (process.pid % 128),
): Promise<PrivateBlock> {
  const used = usedNetworks(networkInterfaces(), readOrEmpty('/proc/net/route'));
  const count = LAST_BLOCK - FIRST_BLOCK + 1;
  // Where all of 10.0.0.0/8 is routed somewhere, a part of it is still ours: the narrower route wins.
  for (const taken of [used, used.filter(({ first, last }) => last - first < BROAD)]) {
    for (let step = 0; step < count; step++) {
      const number = FIRST_BLOCK + ((first - FIRST_BLOCK + step) % count);
      if (isUsed(blockNetwork(number), taken)) continue;
      const claim = await claimName(blockClaim(number));
      if (claim !== undefined) return ownBlock(number, nodes, claim.release);
    }
  }
  throw new Error(
    'no free network for pods: every one of 10.16.0.0/16 to 10.254.0.0/16 is in use on this machine',
  );
}

/** Name that the owner of a block holds. */
export function blockClaim(number: number): string {
  return `turnsole/10.${number}`;
}

/** The block's network; pure. */
export function blockNetwork(number: number): Network {
  const first = 10 * 2 ** 24 + number * 2 ** 16;
  return { first, last: first + 2 ** 16 - 1 };
}

/** Whether a network has addresses in common with one of these; pure. */
export function isUsed(network: Network, used: readonly Network[]): boolean {
  return used.some(({ first, last }) => first <= network.last && last >= network.first);
}

/**
 * The networks a machine has addresses in or routes to, except for the default route; pure.
 *
 * @param routes text of /proc/net/route (addresses as little-endian hexadecimal numbers)
 */
export function usedNetworks(
  interfaces: Readonly<
    Record<
      string,
      readonly { readonly family: string; readonly address: string; readonly netmask: string }[] | undefined
    >
  >,
  routes: string,
): Network[] {
  const own = Object.values(interfaces).flatMap((addresses = []) =>
    addresses
      .filter(({ family }) => family === 'IPv4')
      .map(({ address, netmask }) => masked(parseIPv4(address), parseIPv4(netmask))),
  );
  const routed = routes
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, destination, , , , , , mask] = line.split('\t');
      if (destination === undefined || mask === undefined || /^0+$/.test(mask.trim())) return [];
      return [masked(swapped(destination), swapped(mask.trim()))];
    });
  return [...own, ...routed];
}

function masked(address: number, mask: number): Network {
  const size = 2 ** 32 - mask;
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

function swapped(hex: string): number {
  return [...(hex.match(/../g) ?? [])]
    .reverse()
    .reduce((sum, byte) => sum * 256 + Number.parseInt(byte, 16), 0);
}

function ownBlock(number: number, nodes: number, release: () => Promise<void>): PrivateBlock {
  const base = blockNetwork(number).first;
  const podBase = base + POD_ADDRESSES;
  const share = podShare(nodes);
  const leases = new Map<number, AddressPool>();
  return {
    number,
    cidr: `10.${number}.0.0/16`,
    serviceCidr: `10.${number}.0.0/18`,
    apiAddress: `10.${number}.0.1`,
    dnsAddress: `10.${number}.0.10`,
    localCidr: `10.${number}.0.0/17`,
    podsCidr: `10.${number}.128.0/17`,
    gateway: formatIPv4(podBase + 1),
    podPrefix: 17,
    nodeAddress: (node) => formatIPv4(base + 2 ** 14 + node),
    nodeOf: (address) => parseIPv4(address) - base - 2 ** 14,
    podCidr: (node) => `${formatIPv4(podBase + (node - 1) * share)}/${32 - Math.log2(share)}`,
    leasePodAddress: (node) => {
      const found = leases.get(node) ?? podAddresses(podBase + (node - 1) * share, share);
      leases.set(node, found);
      return found.lease();
    },
    release,
  };
}

/** Addresses that each node's pods have: a power of two; pure. */
export function podShare(nodes: number): number {
  return Math.min(MAX_NODE_ADDRESSES, 2 ** Math.floor(Math.log2(POD_ADDRESSES / Math.max(1, nodes))));
}

function podAddresses(first: number, size: number): AddressPool {
  // The last one of all is the broadcast address; leaving it out everywhere is simpler.
  const isFree = (offset: number): boolean => offset >= RESERVED && offset < size - 1;
  const addressOf = (offset: number) => (isFree(offset) ? formatIPv4(first + offset) : undefined);
  return new AddressPool(size, addressOf, `${formatIPv4(first)} and the ${size} after it`);
}
