/** Where a registry is asked: its mirrors, its own address, and whether that may be without TLS. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseObject } from '@turnsole/kube/text/json';
import { ImageError } from '../errors.ts';
import { DOCKER_HUB } from '../reference/image-name.ts';

export interface RegistrySettings {
  /** Addresses that are asked before a registry, by its host. */
  readonly mirrors: ReadonlyMap<string, readonly string[]>;
  /** Hosts that may be asked without TLS, or with a certificate that is not checked. */
  readonly insecure: ReadonlySet<string>;
}

/** One address of a registry. */
export interface Endpoint {
  /** Host with its port. */
  readonly host: string;
  /** In this order, while a server does not speak the one before. */
  readonly schemes: readonly ('https' | 'http')[];
  /** Path before `/v2`, of mirrors that have one. */
  readonly prefix: string;
  readonly checksCertificate: boolean;
  readonly isMirror: boolean;
}

/** Variables of the environment: `docker.io=https://mirror.example,…` and `registry.example:5000,…`. */
const MIRRORS_VARIABLE = 'TURNSOLE_REGISTRY_MIRRORS';
const INSECURE_VARIABLE = 'TURNSOLE_INSECURE_REGISTRIES';

/** The Hub's registry has another host than its images' names. */
const HUB_HOST = 'registry-1.docker.io';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/**
 * Settings of the environment, and after them those of the Docker that is installed (`daemon.json`).
 *
 * @throws ImageError `invalid-reference` for a variable that cannot be read
 */
export function readRegistrySettings(env: NodeJS.ProcessEnv): RegistrySettings {
  const mirrors = new Map<string, string[]>();
  for (const pair of listOf(env[MIRRORS_VARIABLE])) {
    const [, host = '', url = ''] = /^([^=]+)=(https?:\/\/\S+)$/.exec(pair) ?? [];
    if (host === '') {
      throw new ImageError(
        'invalid-reference',
        `${MIRRORS_VARIABLE} has ${JSON.stringify(pair)}; expected HOST=URL, such as docker.io=https://mirror.example`,
      );
    }
    mirrors.set(host, [...(mirrors.get(host) ?? []), url]);
  }
  const insecure = new Set(listOf(env[INSECURE_VARIABLE]));
  for (const daemon of daemonFiles(env)) {
    const { 'registry-mirrors': hub, 'insecure-registries': hosts } = daemon;
    if (Array.isArray(hub)) mirrors.set(DOCKER_HUB, [...(mirrors.get(DOCKER_HUB) ?? []), ...hub.map(String)]);
    if (Array.isArray(hosts)) for (const host of hosts) insecure.add(String(host));
  }
  return { mirrors, insecure };
}

/** Addresses to ask for a registry's images, one after the other; pure. @throws ImageError for a mirror that is no address */
export function endpointsOf(registry: string, { mirrors, insecure }: RegistrySettings): Endpoint[] {
  const isInsecure = (host: string): boolean => insecure.has(host) || insecure.has(host.replace(/:\d+$/, ''));
  const mirrored = (mirrors.get(registry) ?? []).map((text): Endpoint => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new ImageError(
        'invalid-reference',
        `the mirror ${JSON.stringify(text)} of ${registry} is no address; expected https://HOST`,
      );
    }
    const isPlain = url.protocol === 'http:';
    const prefix = url.pathname.replace(/\/(?:v2\/?)?$/, '');
    return {
      host: url.host,
      schemes: [isPlain ? 'http' : 'https'],
      prefix,
      checksCertificate: !isInsecure(url.host),
      isMirror: true,
    };
  });
  const host = registry === DOCKER_HUB ? HUB_HOST : registry;
  // As Docker does: what is on this machine may be plain.
  const mayBePlain = isLoopback(host) || isInsecure(registry);
  return [
    ...mirrored,
    {
      host,
      schemes: mayBePlain ? ['https', 'http'] : ['https'],
      prefix: '',
      checksCertificate: !isInsecure(registry),
      isMirror: false,
    },
  ];
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}

/** What is there and can be read of Docker's own settings. Others' mistakes in them are theirs. */
function daemonFiles(env: NodeJS.ProcessEnv): Record<string, unknown>[] {
  const home = env['HOME'] ?? homedir();
  const folders = [join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'docker'), '/etc/docker'];
  return folders.flatMap((folder) => {
    try {
      return [parseObject(readFileSync(join(folder, 'daemon.json'), 'utf8')) ?? {}];
    } catch {
      return [];
    }
  });
}
