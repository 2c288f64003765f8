import type { Environment } from '@turnsole/kube/text/environment';
import { type AllowedAddresses, allowedAddresses } from './addresses.ts';
import type { RemoteSettings } from './open-repository.ts';
import { type Reach, systemLookUp } from './reach.ts';

/** The control plane's limits of requests to servers that users name. */
export interface RemoteAccess {
  /** Allowed addresses of the server's own network, and the resolver. */
  readonly reach: Reach;
  /** Largest zip file of a hub, in bytes. */
  readonly zipBytes: number;
  /** Largest pack of a repository, in bytes. */
  readonly gitBytes: number;
  /** Time limit per server, in milliseconds. */
  readonly timeoutMs: number;
  /** User name for a token if the client gives none. */
  readonly tokenUser: string;
}

const MEBIBYTE = 1024 * 1024;

/**
 * Reads `REMOTE_ALLOWED_ADDRESSES`, `REMOTE_HUB_MAX_SIZE`, `REMOTE_GIT_MAX_SIZE` (bytes), `REMOTE_TIMEOUT_SECONDS` and `GIT_USERNAME`. Pure.
 *
 * @throws RangeError naming the variable
 */
export function readRemoteAccess(env: Environment): RemoteAccess {
  const number = (name: string, otherwise: number): number => {
    const text = env[name] ?? '';
    if (text === '') return otherwise;
    if (!/^[1-9]\d{0,11}$/.test(text)) {
      throw new RangeError(`${name} is ${JSON.stringify(text)}; expected a whole number from 1`);
    }
    return Number(text);
  };
  return {
    reach: { allowed: allowedOf(env.REMOTE_ALLOWED_ADDRESSES ?? ''), lookUp: systemLookUp },
    zipBytes: number('REMOTE_HUB_MAX_SIZE', 5_000_000),
    gitBytes: number('REMOTE_GIT_MAX_SIZE', 100 * MEBIBYTE),
    timeoutMs: number('REMOTE_TIMEOUT_SECONDS', 120) * 1000,
    tokenUser: env.GIT_USERNAME ?? 'litmus',
  };
}

function allowedOf(text: string): AllowedAddresses {
  try {
    return allowedAddresses(text);
  } catch (cause) {
    throw new RangeError(`REMOTE_ALLOWED_ADDRESSES: ${String(cause)}`, { cause });
  }
}

/** The settings for repositories. @param folder an existing folder of this server */
export function remoteSettingsOf(access: RemoteAccess, folder: string): RemoteSettings {
  return {
    reach: access.reach,
    folder,
    mostBytes: access.gitBytes,
    timeoutMs: access.timeoutMs,
    machine: process.env,
  };
}
