import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Addresses that requests of users may not go to. */
export interface Reach {
  /** Why requests may not go to an address; undefined where they may. */
  readonly refusal: (address: string) => string | undefined;
}

const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
// Where Amazon serves the credentials of a machine over IPv6.
LINK_LOCAL.addAddress('fd00:ec2::254', 'ipv6');

const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8, 'ipv4');
OWN.addSubnet('0.0.0.0', 8, 'ipv4');
OWN.addAddress('::1', 'ipv6');
OWN.addAddress('::', 'ipv6');

/**
 * What this process may be sent to by people who can create workflows. Link-local addresses serve the credentials of machines. The loopback
 * is the process' own, but for the embedded cluster, whose pods have their addresses there.
 */
export function reachOf({ mayReachLoopback }: { readonly mayReachLoopback: boolean }): Reach {
  return {
    refusal: (address) => {
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      const what = `${address} is an address that workflows may not reach`;
      if (LINK_LOCAL.check(address, family)) return `${what}: it is link-local`;
      if (!mayReachLoopback && OWN.check(address, family)) return `${what}: it is of the controller itself`;
      return undefined;
    },
  };
}

/** Looks names up, and refuses what may not be reached: after the look-up, so that no name leads there. */
export function guardedLookup({ refusal }: Reach): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const refused = addresses.map(({ address }) => refusal(address)).find((one) => one !== undefined);
      if (refused !== undefined) return callback(new Error(`${hostname}: ${refused}`), '', 0);
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}
