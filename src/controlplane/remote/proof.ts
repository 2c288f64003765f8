import type { AuthType } from '../schema/generated/types.ts';
import type { Credentials } from './credentials.ts';
import { hasControls } from './has-controls.ts';
import { RemoteError } from './remote-error.ts';

/** What a client says of how a repository is asked. */
export interface ProofInput {
  readonly authType: AuthType;
  readonly token?: string | null | undefined;
  readonly userName?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly sshPrivateKey?: string | null | undefined;
}

/** How a repository is asked; what is sealed before it is kept. */
export interface Proof {
  readonly authType: AuthType;
  readonly userName: string;
  /** Token, password or private key, as the type says; empty for none. */
  readonly secret: string;
}

/** What stands in an answer in the place of a secret that is there. A client that sends it back means: as it was. */
export const MASK = '********';

/** Most of a secret that is kept, in characters: a key of 16,384 bits has 13,000. */
const MOST_SECRET = 32_768;

/**
 * The proof that is kept from now on. A secret that is left out, or sent back as its mask, stays as it was; but not for another server: whoever
 * could change the address alone would be sent the secret. Pure.
 *
 * @param kept of before, if the repository is on the same server as then
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

/** The fields of an answer: secrets as their mask, where they are. Pure. */
export function shownProof({
  authType,
  userName,
  hasSecret,
}: Pick<Proof, 'authType' | 'userName'> & { readonly hasSecret: boolean }): {
  readonly authType: AuthType;
  readonly userName: string | null;
  readonly token: string | null;
  readonly password: string | null;
  readonly sshPrivateKey: string | null;
} {
  const shown = (type: AuthType): string | null => (hasSecret && authType === type ? MASK : null);
  return {
    authType,
    userName: userName === '' ? null : userName,
    token: shown('TOKEN'),
    password: shown('BASIC'),
    sshPrivateKey: shown('SSH'),
  };
}

/** What git is given. Pure. @param tokenUser name that goes with a token where the client has said none */
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
