import type { AuthType } from '../schema/generated/types.ts';
import type { Credentials } from './credentials.ts';
import { hasControls } from './has-controls.ts';
import { RemoteError } from './remote-error.ts';

/** A client's authentication settings for a repository. */
export interface ProofInput {
  readonly authType: AuthType;
  readonly token?: string | null | undefined;
  readonly userName?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly sshPrivateKey?: string | null | undefined;
}

/** Authentication for a repository; the secret is sealed before it is stored. */
export interface Proof {
  readonly authType: AuthType;
  readonly userName: string;
  /** Token, password or private key, depending on the type; empty for none. */
  readonly secret: string;
}

/** A proof in its stored form. */
export interface StoredProof {
  readonly auth_type: AuthType;
  readonly user_name: string;
  /** Null for none. */
  readonly sealed_secret: string | null;
}

/** Seals the secrets of proofs, each kind for a purpose of its own. */
interface Seals {
  seal(purpose: string, secret: string): string;
  open(purpose: string, sealed: string): string;
}

/** The stored form of a proof. */
export function storedProof(
  { authType, userName, secret }: Proof,
  purpose: string,
  seals: Seals,
): StoredProof {
  const sealed = secret === '' ? null : seals.seal(purpose, secret);
  return { auth_type: authType, user_name: userName, sealed_secret: sealed };
}

/** The proof in a stored form. */
export function openProof(stored: StoredProof, purpose: string, seals: Seals): Proof {
  const { auth_type: authType, user_name: userName, sealed_secret } = stored;
  return { authType, userName, secret: sealed_secret === null ? '' : seals.open(purpose, sealed_secret) };
}

/** Replaces a secret in answers. A client that sends it back keeps the secret. */
export const MASK = '********';

/** Longest secret, in characters: a key of 16,384 bits has 13,000. */
const MOST_SECRET = 32_768;

/**
 * The new authentication. A secret that is left out, or sent back as its mask, stays, but not for another server: otherwise an attacker
 * could change only the address and receive the secret. Pure.
 *
 * @param kept the stored one, if the repository is still on the same server
 * @throws RemoteError naming the field that is missing
 */
export function decideProof(input: ProofInput, kept: Proof | undefined): Proof {
  const { authType, userName } = input;
  const [field, given] = secretField(input);
  const isGiven = given !== '' && given !== MASK;
  const before = kept?.authType === authType ? kept.secret : '';
  const secret = isGiven ? given : before;
  if (secret.length > MOST_SECRET) throw new RemoteError(`${field} is longer than ${MOST_SECRET} characters`);
  if (field !== undefined && secret === '') {
    throw new RemoteError(
      `${field} is missing: authType ${authType} takes it, and for another server it has to be given again`,
    );
  }
  const user = userName ?? '';
  if (authType === 'BASIC' && user === '')
    throw new RemoteError('userName is missing: authType BASIC takes it');
  if (user.includes(':') || hasControls(user))
    throw new RemoteError('userName has a colon or a control character in it');
  return { authType, userName: user, secret };
}

function secretField(input: ProofInput): readonly [field: string | undefined, given: string] {
  switch (input.authType) {
    case 'TOKEN':
      return ['token', input.token ?? ''];
    case 'BASIC':
      return ['password', input.password ?? ''];
    case 'SSH':
      return ['sshPrivateKey', input.sshPrivateKey ?? ''];
    case 'NONE':
      return [undefined, ''];
  }
}

/** The fields of an answer, with secrets masked. Pure. */
export function shownProof({ auth_type: authType, user_name, sealed_secret }: StoredProof): {
  readonly authType: AuthType;
  readonly userName: string | null;
  readonly token: string | null;
  readonly password: string | null;
  readonly sshPrivateKey: string | null;
} {
  const shown = (type: AuthType): string | null =>
    sealed_secret !== null && authType === type ? MASK : null;
  return {
    authType,
    userName: user_name === '' ? null : user_name,
    token: shown('TOKEN'),
    password: shown('BASIC'),
    sshPrivateKey: shown('SSH'),
  };
}

/** Credentials for git. Pure. @param tokenUser user name for a token if the client gives none */
export function credentialsOf({ authType, userName, secret }: Proof, tokenUser: string): Credentials {
  switch (authType) {
    case 'TOKEN':
      return { kind: 'password', user: userName === '' ? tokenUser : userName, password: secret };
    case 'BASIC':
      return { kind: 'password', user: userName, password: secret };
    case 'SSH':
      return { kind: 'ssh', privateKey: secret };
    case 'NONE':
      return { kind: 'none' };
  }
}
