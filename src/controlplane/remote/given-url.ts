import type { AllowedAddresses } from './addresses.ts';
import { parseFileUrl } from './file-url.ts';
import { refuseInnerHost } from './reach.ts';
import { parseRepositoryUrl } from './repository-url.ts';

/**
 * Refuses an address of a repository that no fetch could reach, when a user gives it: another scheme, or a host of the server's own network.
 * A name is resolved by each fetch, which judges what it resolves to at that moment. Pure.
 *
 * @throws RemoteError
 */
export function refuseGivenRepository(text: string, allowed: AllowedAddresses): void {
  refuseInnerHost(parseRepositoryUrl(text).host, allowed);
}

/** The same for the address of a zip file. Pure. @throws RemoteError */
export function refuseGivenFile(text: string, allowed: AllowedAddresses): void {
  refuseInnerHost(parseFileUrl(text).hostname, allowed);
}
