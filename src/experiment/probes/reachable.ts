import { isIP, type LookupFunction } from 'node:net';
import { guardedLookup, isMachineAddress } from '../../process/http/guarded-lookup.ts';

/** Which addresses requests may go to. */
export type MayReach = (address: string) => boolean;

/** Whether an address is one that applications have. Pure. */
export function isOfApplications(address: string): boolean {
  return !isMachineAddress(address);
}

/** The problem of an address that may not be reached. */
export class UnreachableAddressError extends Error {
  override readonly name = 'UnreachableAddressError';
}

/** The address of a name that only a cluster knows; undefined for other names. Rejects with the reason why such a name leads nowhere from here. */
export type AddressOf = (host: string) => Promise<string | undefined>;

/** A look-up of names that gives only addresses that may be reached. @param addressOf asked first */
export function lookupOf(mayReach: MayReach, addressOf?: AddressOf): LookupFunction {
  const found = guardedLookup((address, host) => (mayReach(address) ? undefined : refusal(host)));
  if (addressOf === undefined) return found;
  return (host, options, callback) => {
    addressOf(host).then(
      (address) => found(address ?? host, options, callback),
      (error: Error) => callback(error, []),
    );
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
