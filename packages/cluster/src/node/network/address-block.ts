import { type AddressLease, AddressPool } from './address-pool.ts';
import { type Claim, claimName, listen } from './claim.ts';

/**
 * The addresses of one cluster.
 *
 * On Linux every address of 127.0.0.0/8 is local without being configured, so a cluster takes a /16 of it for itself:
 * nodes, pods and services have addresses of their own, and two clusters on one machine do not meet. Elsewhere only
 * 127.0.0.1 exists, and everything shares it.
 */
export interface AddressBlock {
  /** Whether pods and services have addresses of their own. */
  readonly separate: boolean;
  /** CIDR for cluster IPs of services. */
  readonly serviceCidr: string;
  /** CIDR of pods, for `spec.podCIDR` of nodes. */
  readonly podCidr: string;
  /** Address of the n-th node, from 1. */
  nodeAddress(node: number): string;
  leasePodAddress(): AddressLease;
  /** Gives the block back. Idempotent. */
  release(): Promise<void>;
}

const FIRST_BLOCK = 16;
const LAST_BLOCK = 254;

/**
 * Claims a free block for this process, or the shared address when none is free (other systems, or no block left).
 *
 * The claim is a socket in Linux's abstract namespace, named after the block: as scoped (network namespace) and as
 * short-lived (this process) as the addresses themselves, so that a crash leaves nothing to clean up.
 */
export async function claimAddressBlock(first = FIRST_BLOCK + (process.pid % 128)): Promise<AddressBlock> {
  if (process.platform !== 'linux' || !(await canBind(`127.${FIRST_BLOCK}.0.1`))) return sharedBlock();
  const count = LAST_BLOCK - FIRST_BLOCK + 1;
  for (let step = 0; step < count; step++) {
    const block = FIRST_BLOCK + ((first - FIRST_BLOCK + step) % count);
    const claim = await claimName(`turnsole/127.${block}`);
    if (claim !== undefined) return ownBlock(block, claim);
  }
  return sharedBlock();
}

function ownBlock(block: number, claim: Claim): AddressBlock {
  const podAddress = (number: number): string | undefined => {
    const last = number % 256;
    return last === 0 || last === 255 ? undefined : `127.${block}.${64 + Math.floor(number / 256)}.${last}`;
  };
  const podCidr = `127.${block}.64.0/18`;
  const pods = new AddressPool(64 * 256, podAddress, podCidr);
  return {
    separate: true,
    serviceCidr: `127.${block}.0.0/18`,
    podCidr,
    nodeAddress: (node) => `127.${block}.254.${node}`,
    leasePodAddress: () => pods.lease(),
    release: claim.release,
  };
}

/** Every pod and node at 127.0.0.1; cluster IPs are numbers without a server (names resolve past them). */
export function sharedBlock(): AddressBlock {
  return {
    separate: false,
    serviceCidr: '10.96.0.0/16',
    podCidr: '127.0.0.1/32',
    nodeAddress: () => '127.0.0.1',
    leasePodAddress: () => ({ address: '127.0.0.1', release: () => {} }),
    release: () => Promise.resolve(),
  };
}

async function canBind(address: string): Promise<boolean> {
  const server = await listen({ host: address, port: 0 });
  if (server === undefined) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}
