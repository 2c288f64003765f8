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

/** A look-up of names that gives only addresses that may be reached. */
export function lookupOf(mayReach: MayReach): LookupFunction {
  return guardedLookup((address, host) => (mayReach(address) ? undefined : refusal(host)));
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
