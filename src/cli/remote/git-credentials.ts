import { readFile } from 'node:fs/promises';
import { messageOf } from '@turnsole/kube/text/error-message';
import { CommandError } from '../../services/errors.ts';

/** How a repository is signed in at, as the command line says it: secrets are no arguments, which every user of a machine can read. */
export interface GitCredentialOptions {
  readonly username?: string;
  /** File of a private key. */
  readonly sshKey?: string;
}

/** The fields of the API for it. */
interface GitCredentials {
  readonly authType: 'NONE' | 'TOKEN' | 'BASIC' | 'SSH';
  readonly token?: string;
  readonly userName?: string;
  readonly password?: string;
  readonly sshPrivateKey?: string;
}

/** Variables that hold secrets. */
export const GIT_TOKEN = 'TURNSOLE_GIT_TOKEN';
export const GIT_PASSWORD = 'TURNSOLE_GIT_PASSWORD';

/** By a key, by name and password, by a token, or by nothing. @throws CommandError when they say several, or the key cannot be read */
export async function gitCredentials(
  { username, sshKey }: GitCredentialOptions,
  env: NodeJS.ProcessEnv,
): Promise<GitCredentials> {
  const [token = '', password = ''] = [env[GIT_TOKEN], env[GIT_PASSWORD]];
  const said = [sshKey !== undefined, token !== '', username !== undefined || password !== ''];
  if (said.filter(Boolean).length > 1)
    throw new CommandError(
      `--ssh-key, ${GIT_TOKEN}, and --username with ${GIT_PASSWORD} are three ways: give one of them`,
      'OPTION_INVALID',
    );
  if (sshKey !== undefined) {
    const sshPrivateKey = await readFile(sshKey, 'utf8').catch((error: unknown) => {
      throw new CommandError(`--ssh-key ${sshKey}: cannot be read: ${messageOf(error)}`, 'OPTION_INVALID', {
        cause: error,
      });
    });
    return { authType: 'SSH', sshPrivateKey };
  }
  if (token !== '') return { authType: 'TOKEN', token };
  if (username === undefined && password === '') return { authType: 'NONE' };
  if (username === undefined || password === '')
    throw new CommandError(`--username and ${GIT_PASSWORD} belong together: give both`, 'OPTION_INVALID');
  return { authType: 'BASIC', userName: username, password };
}
