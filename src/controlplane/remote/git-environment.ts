import { isIP } from 'node:net';
import { dirname } from 'node:path';
import type { Environment } from '../../text/environment.ts';
import { basicOf, type Credentials } from './credentials.ts';
import type { CheckedAddress } from './reach.ts';
import type { RepositoryUrl } from './repository-url.ts';

/** What decides how git speaks to a repository. */
interface GitEnvironmentInput {
  readonly repository: RepositoryUrl;
  readonly address: CheckedAddress;
  readonly credentials: Credentials;
  /** An empty folder: git finds no settings of the machine there. */
  readonly home: string;
  /** File with the private key, that only this user reads. */
  readonly keyFile: string;
  /** File with the keys of ssh hosts that were seen before. */
  readonly knownHosts: string;
  /** Of this process. */
  readonly machine: Environment;
}

/** What git takes over from this process: where programs are, and whom TLS trusts. */
const KEPT = ['PATH', 'GIT_SSL_CAINFO', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TMPDIR'] as const;

/**
 * Environment of git for one repository. Credentials stand in it and nowhere else: not in arguments, which every user of the machine can
 * list, and not in a file of the repository. Git connects to the address that was checked, follows no redirect, runs no hook or filter,
 * and asks nobody. Pure.
 */
export function gitEnvironment(input: GitEnvironmentInput): Environment {
  const { home, machine } = input;
  const kept = KEPT.flatMap((name) => (machine[name] === undefined ? [] : [[name, machine[name]] as const]));
  const settings = settingsOf(input);
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    LC_ALL: 'C',
    // A checkout around the server's folder has settings of its own.
    GIT_CEILING_DIRECTORIES: dirname(dirname(home)),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_ALLOW_PROTOCOL: 'http:https:ssh',
    GIT_SSH_VARIANT: 'ssh',
    GIT_SSH_COMMAND: sshCommand(input),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function settingsOf({ repository, address, credentials }: GitEnvironmentInput): [string, string][] {
  const { url, host, port, transport } = repository;
  const settings: [string, string][] = [
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '30'],
    ['credential.helper', ''],
    ['core.hooksPath', '/dev/null'],
    ['core.symlinks', 'false'],
    ['core.fsmonitor', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['submodule.recurse', 'false'],
  ];
  if (transport === 'http' && isIP(host) === 0) {
    const at = address.family === 6 ? `[${address.address}]` : address.address;
    settings.push(['http.curloptResolve', `${host}:${port}:${at}`]);
  }
  if (transport === 'http' && credentials.kind === 'password') {
    settings.push([
      `http.${new URL(url).origin}.extraHeader`,
      `Authorization: Basic ${basicOf(credentials)}`,
    ]);
  }
  return settings;
}

/** The key of a host is kept when it is first seen; another key later is refused. */
function sshCommand({ repository, address, credentials, keyFile, knownHosts }: GitEnvironmentInput): string {
  const { host, port } = repository;
  const options = [
    ...(credentials.kind === 'ssh'
      ? ['IdentitiesOnly=yes', `IdentityFile=${keyFile}`]
      : ['IdentityFile=none']),
    'IdentityAgent=none',
    'BatchMode=yes',
    'ConnectTimeout=15',
    'StrictHostKeyChecking=accept-new',
    `UserKnownHostsFile=${knownHosts}`,
    'GlobalKnownHostsFile=/dev/null',
    `HostName=${address.address}`,
    `HostKeyAlias=${port === 22 ? host : `[${host}]:${port}`}`,
  ];
  return [
    'ssh',
    '-F',
    '/dev/null',
    ...options.flatMap((option) => ['-o', `'${option.replaceAll("'", `'\\''`)}'`]),
  ].join(' ');
}
