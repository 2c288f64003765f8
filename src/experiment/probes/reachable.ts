import { lookup as dnsLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Which addresses requests may go to. */
export type MayReach = (address: string) => boolean;

/** Where clouds serve metadata and credentials to machines: those of the machine, and never of an application. */
const OF_THE_MACHINE = new BlockList();
OF_THE_MACHINE.addSubnet('169.254.0.0', 16);
OF_THE_MACHINE.addSubnet('fe80::', 10, 'ipv6');
OF_THE_MACHINE.addAddress('fd00:ec2::254', 'ipv6');

/** Whether an address is one that applications have: not link-local, where metadata of machines is served. Pure. */
export function isOfApplications(address: string): boolean {
  const family = isIP(address);
  return family === 0 || !OF_THE_MACHINE.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** The problem of an address that may not be reached. */
export class UnreachableAddressError extends Error {
  override readonly name = 'UnreachableAddressError';
}

/** Looks names up as Node does, and gives only addresses that may be reached: the connection goes to the checked address. */
export function guardedLookup(mayReach: MayReach): LookupFunction {
  return (name, options, callback) => {
    dnsLookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const allowed = found.filter(({ address }) => mayReach(address));
      const [first] = allowed;
      if (first === undefined) callback(refusal(name), []);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** @throws UnreachableAddressError for a URL whose host is an address that may not be reached; names are looked up later */
export function checkAddress({ hostname }: URL, mayReach: MayReach): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !mayReach(address)) throw refusal(address);
}

function refusal(host: string): UnreachableAddressError {
  return new UnreachableAddressError(
    `${host} is an address of the machine and none of an application: it is not asked here`,
  );
}
