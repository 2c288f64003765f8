/** What the Secrets that a pod names for its images say about registries. */
import type { Pod, Secret } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import type { CredentialSource, RegistryCredentials } from '../../images/types.ts';
import { secretData } from '../env/references.ts';

const CONFIG_KEY = '.dockerconfigjson';
const OLD_CONFIG_KEY = '.dockercfg';

/** The sources of credentials of a pod, and a sentence for each Secret that cannot be used. */
export interface PullSecrets {
  readonly sources: readonly CredentialSource[];
  readonly problems: readonly string[];
}

/** Reads the Secrets of `imagePullSecrets`, those of the pod's service account among them, which admission has put there. */
export async function readPullSecrets(
  pod: Pod,
  find: (namespace: string, name: string) => Promise<Secret | undefined>,
): Promise<PullSecrets> {
  const namespace = pod.metadata.namespace ?? '';
  const sources: CredentialSource[] = [];
  const problems: string[] = [];
  for (const { name = '' } of pod.spec?.imagePullSecrets ?? []) {
    if (name === '') continue;
    const secret = await find(namespace, name);
    try {
      if (secret === undefined) throw new Error('it does not exist');
      sources.push(credentialsIn(secret));
    } catch (error) {
      problems.push(`the image pull secret ${namespace}/${name} cannot be used: ${messageOf(error)}`);
    }
  }
  return { sources, problems };
}

/** The credentials of a Secret of one of the two kinds that hold them; pure. @throws Error for other data */
export function credentialsIn(secret: Secret): CredentialSource {
  const data = secretData(secret);
  const [config, old] = [data.get(CONFIG_KEY), data.get(OLD_CONFIG_KEY)];
  const text = config ?? old;
  if (text === undefined) throw new Error(`it has neither ${CONFIG_KEY} nor ${OLD_CONFIG_KEY}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.toString('utf8'));
  } catch {
    throw new Error('its configuration is not JSON');
  }
  const auths = config === undefined ? parsed : isObject(parsed) ? parsed['auths'] : undefined;
  if (!isObject(auths)) throw new Error('its configuration has no auths');
  const entries = Object.entries(auths).flatMap(([place, entry]) => {
    const credentials = isObject(entry) ? credentialsOf(entry) : undefined;
    return credentials === undefined ? [] : [{ place: placeOf(place), credentials }];
  });
  // The longest place is the most exact one.
  entries.sort((a, b) => b.place.length - a.place.length);
  return (registry, repository) => {
    const wanted = placeOf(`${registry}/${repository}`);
    return entries.find(({ place }) => fits(place, wanted))?.credentials;
  };
}

function credentialsOf(entry: Readonly<Record<string, unknown>>): RegistryCredentials | undefined {
  const { auth, username, password, identitytoken, registrytoken } = entry;
  if (typeof identitytoken === 'string' && identitytoken !== '') return { identityToken: identitytoken };
  if (typeof registrytoken === 'string' && registrytoken !== '') return { registryToken: registrytoken };
  if (typeof auth === 'string' && auth !== '') {
    const pair = Buffer.from(auth, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    if (colon > 0) return { username: pair.slice(0, colon), password: pair.slice(colon + 1) };
  }
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { username, password };
}

/** `https://index.docker.io/v1/` and its other names are one registry. */
function placeOf(text: string): string {
  const place = text
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '')
    .replace(/\/v[12]$/, '');
  return place.replace(
    /^(?:index\.docker\.io|registry-1\.docker\.io|registry\.hub\.docker\.com)(?=\/|$)/,
    'docker.io',
  );
}

/** A place stands for itself and all below it; a `*` in its host for one part of a name (Kubernetes: images, "Interpretation of config.json"). */
function fits(place: string, wanted: string): boolean {
  const [host = '', ...path] = place.split('/');
  const [wantedHost = '', ...wantedPath] = wanted.split('/');
  const parts = host.split('.');
  const wantedParts = wantedHost.split('.');
  const fitsHost =
    parts.length === wantedParts.length &&
    parts.every((part, index) => globFits(part, wantedParts[index] ?? ''));
  return fitsHost && path.every((part, index) => part === wantedPath[index]);
}

function globFits(pattern: string, part: string): boolean {
  if (!pattern.includes('*')) return pattern === part;
  const text = pattern.split('*').map((piece) => piece.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${text.join('[^.]*')}$`).test(part);
}
