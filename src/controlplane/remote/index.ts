/** What other servers are asked for in the name of users: repositories and files, at addresses that were checked. */
export { allowedAddresses } from './addresses.ts';
export { fetchArchive } from './archive.ts';
export type { Credentials } from './credentials.ts';
export { downloadZip } from './download.ts';
export type { RemoteSettings } from './open-repository.ts';
export { systemLookUp } from './reach.ts';
export { RemoteError } from './remote-error.ts';
