import type { Environment } from '../../text/environment.ts';
import { type AllowedAddresses, allowedAddresses } from './addresses.ts';
import type { RemoteSettings } from './open-repository.ts';
import { systemLookUp } from './reach.ts';

/** How servers that users name are asked; of the whole control plane. */
export interface RemoteAccess {
  /** Of the server's own network, what may be asked all the same. */
  readonly allowed: AllowedAddresses;
  /** Largest zip file of a hub, in bytes. */
  readonly zipBytes: number;
  /** Largest pack of a repository, in bytes. */
  readonly gitBytes: number;
  /** How long one server may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Name that goes with a token where a client has said none. */
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
    allowed: allowedOf(env.REMOTE_ALLOWED_ADDRESSES ?? ''),
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

/** The same for the programs that ask. @param folder of this server, that is there */
export function remoteSettingsOf(access: RemoteAccess, folder: string): RemoteSettings {
  return {
    reach: { allowed: access.allowed, lookUp: systemLookUp },
    folder,
    mostBytes: access.gitBytes,
    timeoutMs: access.timeoutMs,
    machine: process.env,
  };
}
