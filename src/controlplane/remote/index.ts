/** Requests to other servers for users: repositories and files, at checked addresses. */
export { fetchArchive } from './archive.ts';
export type { Credentials } from './credentials.ts';
export { downloadZip } from './download.ts';
export { openRepository, type RemoteSettings } from './open-repository.ts';
export { credentialsOf, decideProof, type Proof, shownProof } from './proof.ts';
export { type RemoteAccess, remoteSettingsOf } from './remote-access.ts';
export { RemoteError, TooLateError } from './remote-error.ts';
export { checkedRef, parseRepositoryUrl } from './repository-url.ts';
export { generateSshKey } from './ssh-key.ts';
