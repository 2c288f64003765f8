/** Credentials as Docker keeps them: in its configuration, in secrets of Kubernetes, and in programs. */
import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import { ImageError } from '../errors.ts';
import { DOCKER_HUB } from '../reference/image-name.ts';
import type { CredentialSource, RegistryCredentials } from '../types.ts';

/** Entries by their keys, and which program is asked for which registry. */
interface DockerConfig {
  readonly auths: ReadonlyMap<string, RegistryCredentials>;
  /** Program `docker-credential-<value>` by registry. */
  readonly helpers: ReadonlyMap<string, string>;
  /** The one for all other registries. */
  readonly store: string | undefined;
}

/**
 * Reads the text of a `config.json`, of a secret's `.dockerconfigjson`, or of the older `.dockercfg`, which has the entries alone.
 *
 * @param what the text in messages
 * @throws ImageError `unauthorized` for what is none
 */
export function parseDockerConfig(text: string, what: string): DockerConfig {
  const document = parseObject(text);
  if (document === undefined) throw new ImageError('unauthorized', `${what} is no JSON object`);
  const isCurrent = ['auths', 'credHelpers', 'credsStore'].some((member) => member in document);
  const entries = isCurrent ? document['auths'] : document;
  const auths = new Map<string, RegistryCredentials>();
  for (const [key, entry] of Object.entries(isObject(entries) ? entries : {})) {
    const credentials = isObject(entry)
      ? credentialsOf(entry, `${what}, entry ${JSON.stringify(key)}`)
      : undefined;
    if (credentials !== undefined) auths.set(key, credentials);
  }
  const helpers = isObject(document['credHelpers']) ? Object.entries(document['credHelpers']) : [];
  return {
    auths,
    helpers: new Map(helpers.map(([key, program]) => [key, textOf(program)])),
    store: textOf(document['credsStore']) || undefined,
  };
}

/**
 * Credentials of a Secret of type `kubernetes.io/dockerconfigjson`, or of the older `kubernetes.io/dockercfg`.
 *
 * @throws ImageError `unauthorized` for what holds none
 */
export function secretCredentials(text: string, what: string, isOld = false): CredentialSource {
  const { auths } = parseDockerConfig(text, what);
  if (!isOld && !isObject(parseObject(text)?.['auths']))
    throw new ImageError('unauthorized', `${what} has no auths`);
  return (registry, repository) => findAuth(auths, registry, repository);
}

/** Entries that only say that a program has the credentials are empty. */
function credentialsOf(
  entry: Readonly<Record<string, unknown>>,
  what: string,
): RegistryCredentials | undefined {
  const { auth, username, password, identitytoken, registrytoken } = entry;
  if (textOf(registrytoken) !== '') return { registryToken: textOf(registrytoken) };
  if (textOf(identitytoken) !== '') return { identityToken: textOf(identitytoken) };
  if (textOf(username) !== '') return { username: textOf(username), password: textOf(password) };
  if (textOf(auth) === '') return undefined;
  const pair = Buffer.from(textOf(auth), 'base64').toString();
  const colon = pair.indexOf(':');
  if (colon < 1)
    throw new ImageError('unauthorized', `${what}: auth is not the base64 form of name:password`);
  return { username: pair.slice(0, colon), password: pair.slice(colon + 1).replace(/\0+$/, '') };
}

/** The entry for a repository: the one that names most of it. Hosts may have `*` for a part, as in Kubernetes. Pure. */
export function findAuth<T>(
  entries: ReadonlyMap<string, T>,
  registry: string,
  repository: string,
): T | undefined {
  let best: { entry: T; length: number } | undefined;
  for (const [key, entry] of entries) {
    const length = matchLength(key, registry, repository);
    if (length > (best?.length ?? 0)) best = { entry, length };
  }
  return best?.entry;
}

/** Names of Docker Hub that entries have. */
const HUB_HOSTS = [DOCKER_HUB, 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'];

/** 0 when an entry is for another place. */
function matchLength(key: string, registry: string, repository: string): number {
  // `https://index.docker.io/v1/` is what Docker calls its Hub.
  const place = key
    .replace(/^https?:\/\//, '')
    .replace(/\/v[12]\/?$/, '')
    .replace(/\/$/, '');
  const slash = place.indexOf('/');
  const host = slash < 0 ? place : place.slice(0, slash);
  const path = slash < 0 ? '' : place.slice(slash + 1);
  const isHost = registry === DOCKER_HUB ? HUB_HOSTS.includes(host) : matchesHost(host, registry);
  if (!isHost || !(path === '' || repository === path || repository.startsWith(`${path}/`))) return 0;
  return 1 + path.length;
}

function matchesHost(pattern: string, host: string): boolean {
  const [patterns, parts] = [pattern.split('.'), host.split('.')];
  return (
    patterns.length === parts.length &&
    patterns.every((one, index) => {
      const [before = '', after, ...more] = one.split('*');
      const part = parts[index] ?? '';
      if (after === undefined) return one === part;
      return (
        more.length === 0 &&
        part.length >= before.length + after.length &&
        part.startsWith(before) &&
        part.endsWith(after)
      );
    })
  );
}
