/** The target of a proxy request: a pod, a pod of a service, or a node. Source: kubernetes.io, Access Services Running on Clusters. */
import type { Random } from '@turnsole/kube/base/clock';
import { badRequest, notFound, unavailable } from '../../http/status.ts';
import { asNumber, asObjects, asString, type Json, valueAt } from '../../object.ts';
import type { ServerParts } from '../../registry/environment.ts';
import { readVersion } from '../../registry/read.ts';
import { objectOf } from '../../stored-object.ts';

/** Kinds that have a proxy subresource. */
export const PROXIED: ReadonlySet<string> = new Set(['pods', 'services', 'nodes']);

/** Where a request is passed on to. */
export interface ProxyTarget {
  readonly isTls: boolean;
  readonly host: string;
  /** As it was asked for: a number, or a name; `''` for the usual port of the scheme. */
  readonly port: string;
}

/** The name in the path of a proxy request: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. */
interface ProxyId {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

const SCHEMES: readonly string[] = ['http', 'https', ''];

/** Reads the name of a proxy request; undefined for an invalid one. Pure. */
export function readProxyId(text: string): ProxyId | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  return name !== '' && SCHEMES.includes(scheme) ? { scheme, name, port } : undefined;
}

/**
 * Finds the target of a proxy request.
 * @throws StatusError
 */
export function proxyTarget(env: ServerParts, plural: string, namespace: string, text: string): ProxyTarget {
  const id = readProxyId(text);
  if (id === undefined) throw badRequest(`invalid ${plural.slice(0, -1)} request ${JSON.stringify(text)}`);
  const isTls = id.scheme === 'https';
  switch (plural) {
    case 'pods':
      return { isTls, ...podAddress(readObject(env, plural, namespace, id.name), id.port) };
    case 'services':
      return { isTls, ...serviceAddress(env, namespace, text, id) };
    default:
      return { isTls, ...nodeAddress(readObject(env, plural, '', id.name), id.port) };
  }
}

type Address = Pick<ProxyTarget, 'host' | 'port'>;

/** An object of the core group. @throws StatusError when it is not there */
export function readObject(env: ServerParts, plural: string, namespace: string, name: string): Json {
  const kind = env.kinds.find('', 'v1', plural);
  if (kind === undefined) throw notFound({ group: '', plural }, name);
  return objectOf(readVersion(env, kind.definition, namespace, name));
}

/** The port asked for, or the first one that a container declares. */
function podAddress(pod: Json, port: string): Address {
  const [host] = podAddresses(pod);
  if (host === undefined) throw badRequest('address not allowed');
  if (port !== '') return { host, port };
  const declared = asObjects(valueAt(pod, 'spec', 'containers'))
    .flatMap(({ ports }) => asObjects(ports))
    .at(0)?.containerPort;
  return { host, port: declared === undefined ? '' : String(declared) };
}

function podAddresses(pod: Json): string[] {
  return asObjects(valueAt(pod, 'status', 'podIPs'))
    .map(({ ip }) => asString(ip))
    .filter((ip) => ip !== '');
}

/** Any ready pod behind the port, which is given by number or by name. */
function serviceAddress(env: ServerParts, namespace: string, text: string, { name, port }: ProxyId): Address {
  const portName = /^\d+$/.test(port) ? nameOfPort(env, namespace, name, Number(port)) : port;
  const { subsets } = readObject(env, 'endpoints', namespace, name);
  const found = asObjects(subsets).flatMap((subset) => {
    const target = asObjects(subset.ports).find((entry) => asString(entry.name) === portName);
    if (target === undefined) return [];
    return asObjects(subset.addresses)
      .filter((address) => isAddressOfPod(env, namespace, address))
      .map(({ ip }) => ({ host: asString(ip), port: String(asNumber(target.port)) }));
  });
  const chosen = anyOf(found, env.random);
  if (chosen === undefined) {
    const asked = asObjects(subsets).length === 0 ? name : text;
    throw unavailable(`no endpoints available for service ${JSON.stringify(asked)}`);
  }
  return chosen;
}

function nameOfPort(env: ServerParts, namespace: string, name: string, port: number): string {
  const service = readObject(env, 'services', namespace, name);
  const offered = asObjects(valueAt(service, 'spec', 'ports')).find((entry) => entry.port === port);
  if (offered === undefined)
    throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return asString(offered.name);
}

/** Endpoints may be written by hand: only addresses of pods are connected to, not whatever else the server could reach. */
function isAddressOfPod(env: ServerParts, namespace: string, address: Json): boolean {
  const pod = asString(valueAt(address, 'targetRef', 'name'));
  if (pod === '' || valueAt(address, 'targetRef', 'namespace') !== namespace) return false;
  const version = env.store.get('pods', namespace, pod);
  return version !== undefined && podAddresses(objectOf(version)).includes(asString(address.ip));
}

/** A port of the node's address; without one, that of the kubelet. */
function nodeAddress(node: Json, port: string): Address {
  const addresses = asObjects(valueAt(node, 'status', 'addresses'));
  const internal = addresses.find(({ type }) => type === 'InternalIP');
  const host = asString(internal?.address);
  if (host === '') throw badRequest('address not allowed');
  return { host, port };
}

function anyOf<T>(items: readonly T[], random: Random): T | undefined {
  return items[Math.floor(random() * items.length)];
}
