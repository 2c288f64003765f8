import { isIP } from 'node:net';
import { dirname } from 'node:path';
import type { Environment } from '@turnsole/kube/text/environment';
import { commandLine } from '@turnsole/kube/text/shell';
import { basicOf, type Credentials } from './credentials.ts';
import type { CheckedAddress } from './reach.ts';
import type { RepositoryUrl } from './repository-url.ts';

/** Inputs for the environment of git. */
interface GitEnvironmentInput {
  readonly repository: RepositoryUrl;
  readonly address: CheckedAddress;
  readonly credentials: Credentials;
  /** An empty folder, so that git finds no settings of the machine. */
  readonly home: string;
  /** File with the private key, readable by this user only. */
  readonly keyFile: string;
  /** File with the known keys of ssh hosts. */
  readonly knownHosts: string;
  /** Environment of this process. */
  readonly machine: Environment;
}

/** Variables that git inherits from this process: the path of programs, and trusted authorities of TLS. */
const KEPT = ['PATH', 'GIT_SSL_CAINFO', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TMPDIR'] as const;

/**
 * Environment of git for one repository. Only the environment contains credentials: not the arguments, which every user of the machine can
 * list, and no file of the repository. Git connects to the checked address, follows no redirects, runs no hooks or filters,
 * and never prompts. Pure.
 */
export function gitEnvironment(input: GitEnvironmentInput): Environment {
  const { home, machine } = input;
  const kept = KEPT.flatMap((name) => (machine[name] === undefined ? [] : [[name, machine[name]] as const]));
  const settings = settingsOf(input);
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    LC_ALL: 'C',
    // Ignores the settings of a checkout around the server's folder.
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
    // Bounds what is held in memory of a pack, and has large files streamed.
    ['core.packedGitWindowSize', '16m'],
    ['core.packedGitLimit', '128m'],
    ['core.bigFileThreshold', '4m'],
    ['pack.threads', '1'],
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

/** Stores the key of a host at the first connection, and refuses another key later. */
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
  return commandLine(['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', option])]);
}
