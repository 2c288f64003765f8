/** Requests to other servers for users: repositories and files, at checked addresses. */
export { addNetwork } from './addresses.ts';
export { fetchArchive } from './archive.ts';
export type { Credentials } from './credentials.ts';
export { downloadZip } from './download.ts';
export { refuseGivenFile, refuseGivenRepository } from './given-url.ts';
export { openRepository, type RemoteSettings } from './open-repository.ts';
export {
  credentialsOf,
  decideProof,
  openProof,
  type Proof,
  type StoredProof,
  shownProof,
  storedProof,
} from './proof.ts';
export { type RemoteAccess, remoteSettingsOf } from './remote-access.ts';
export { RemoteError, TooLateError } from './remote-error.ts';
export { checkedRef, isSameServer } from './repository-url.ts';
export { generateSshKey } from './ssh-key.ts';
