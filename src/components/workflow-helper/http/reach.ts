import { BlockList, isIP, type LookupFunction } from 'node:net';
import { guardedLookup, isMachineAddress } from '../../../process/http/guarded-lookup.ts';

/** Addresses that requests of users may not go to. */
export interface Reach {
  /** Why requests may not go to an address; undefined where they may. */
  readonly refusal: (address: string) => string | undefined;
}

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
      if (isMachineAddress(address)) return `${what}: it is link-local`;
      if (!mayReachLoopback && OWN.check(address, family)) return `${what}: it is of the controller itself`;
      return undefined;
    },
  };
}

/** A look-up of names that gives only addresses that may be reached. */
export function lookupOf({ refusal }: Reach): LookupFunction {
  return guardedLookup((address, host) => {
    const why = refusal(address);
    return why === undefined ? undefined : new Error(`${host}: ${why}`);
  });
}
