/** Resource quotas: refuses what would exceed them, and keeps their status. Source: kubernetes.io, Resource Quotas. */
import { formatQuantity, parseQuantity, type Quantity } from '../../../api/quantity.ts';
import { SERVER_CONTEXT } from '../bootstrap.ts';
import { forbidden } from '../http/status.ts';
import { type ApiObject, asJson, asList, equalJson } from '../object.ts';
import { objectOf } from '../registry/encode.ts';
import type { AdmissionAttempt, Environment } from '../registry/environment.ts';
import { updateObject } from '../registry/update.ts';
import { plus, podAmounts, readAmounts, writeAmounts } from './resources.ts';

const TABLE = 'resourcequotas';
const ONE = parseQuantity('1');
/** Kinds that quotas count by their bare names; all others by `count/<plural>.<group>`. */
const COUNTED = [
  'pods',
  'services',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
];

type Usage = Map<string, Quantity>;

/** Refuses a creation that a quota of the namespace does not leave room for. Throws Forbidden. */
export function reviewQuota(env: Environment, attempt: AdmissionAttempt): void {
  const { operation, subresource, object, namespace, definition, name } = attempt;
  if (operation !== 'create' || subresource !== '' || object === undefined || !definition.namespaced) return;
  for (const quota of quotasOf(env, namespace)) {
    const hard = readAmounts(asJson(quota.spec).hard);
    const asked = usageOf(definition.table, object);
    const relevant = [...hard.keys()].filter((resource) => asked.has(resource));
    const quotaName = quota.metadata.name ?? '';
    checkGiven(attempt, object, [...hard.keys()], quotaName);
    if (relevant.length === 0 || hasScopes(quota)) continue;
    const used = currentUsage(env, namespace, [...hard.keys()]);
    const exceeded = relevant.filter(
      (resource) =>
        plus(used.get(resource), asked.get(resource) ?? ONE).nano > (hard.get(resource)?.nano ?? 0n),
    );
    if (exceeded.length === 0) continue;
    const list = (amounts: Usage): string =>
      exceeded
        .sort()
        .map((resource) => `${resource}=${formatQuantity(amounts.get(resource) ?? parseQuantity('0'))}`)
        .join(',');
    const words = `exceeded quota: ${quotaName}, requested: ${list(asked)}, used: ${list(used)}, limited: ${list(hard)}`;
    throw forbidden(definition, name, words);
  }
}

/** Where a quota limits a resource, every pod has to say how much of it it wants. */
function checkGiven(attempt: AdmissionAttempt, pod: ApiObject, hard: readonly string[], quota: string): void {
  const { definition, name } = attempt;
  if (definition.table !== 'pods') return;
  const given = usageOf('pods', pod);
  const missing = hard.filter(
    (resource) => /^(requests\.|limits\.)?(cpu|memory)$/.test(resource) && !given.has(resource),
  );
  if (missing.length === 0) return;
  const words = missing.sort().join(',');
  throw forbidden(definition, name, `failed quota: ${quota}: must specify ${words}`);
}

/** Scopes narrow a quota to some pods; those quotas are kept and not enforced. */
function hasScopes(quota: ApiObject): boolean {
  return asList(asJson(quota.spec).scopes).length > 0 || asJson(quota.spec).scopeSelector !== undefined;
}

function quotasOf(env: Environment, namespace: string): ApiObject[] {
  if (env.store.count(TABLE) === 0) return [];
  return env.store.list(TABLE, namespace).versions.map(objectOf);
}

/** What one object uses. */
function usageOf(table: string, object: ApiObject): Usage {
  const usage: Usage = new Map([[`count/${table}`, ONE]]);
  if (COUNTED.includes(table)) usage.set(table, ONE);
  if (table === 'services') {
    const type = asJson(object.spec).type;
    if (type === 'NodePort' || type === 'LoadBalancer') usage.set('services.nodeports', ONE);
    if (type === 'LoadBalancer') usage.set('services.loadbalancers', ONE);
  }
  if (table !== 'pods') return usage;
  for (const [name, quantity] of podAmounts(object, 'requests')) {
    usage.set(`requests.${name}`, quantity);
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage') usage.set(name, quantity);
  }
  for (const [name, quantity] of podAmounts(object, 'limits')) usage.set(`limits.${name}`, quantity);
  return usage;
}

/** Pods that have ended do not count any more. */
function counts(table: string, object: ApiObject): boolean {
  const phase = asJson(object.status).phase;
  return table !== 'pods' || (phase !== 'Succeeded' && phase !== 'Failed');
}

function currentUsage(env: Environment, namespace: string, resources: readonly string[]): Usage {
  const tables = new Set<string>();
  for (const resource of resources) {
    if (resource.startsWith('count/')) tables.add(resource.slice('count/'.length));
    else if (resource.startsWith('services')) tables.add('services');
    else tables.add(COUNTED.includes(resource) ? resource : 'pods');
  }
  const total: Usage = new Map();
  for (const table of tables) {
    for (const version of env.store.list(table, namespace).versions) {
      const object = objectOf(version);
      if (!counts(table, object)) continue;
      for (const [resource, quantity] of usageOf(table, object)) {
        if (resources.includes(resource)) total.set(resource, plus(total.get(resource), quantity));
      }
    }
  }
  return total;
}

/** Keeps `status` of quotas equal to what is used. */
export function startQuotaStatus(env: Environment): void {
  const dirty = new Set<string>();
  const mark = (namespace: string): void => {
    if (env.store.count(TABLE) === 0 || dirty.has(namespace)) return;
    dirty.add(namespace);
    // Not inside the commit: a watcher must not write. Several changes of one turn are summed up at once.
    setImmediate(() => {
      dirty.delete(namespace);
      writeStatus(env, namespace);
    });
  };
  for (const table of [...COUNTED]) env.store.observe(table, ({ version }) => mark(version.namespace));
}

function writeStatus(env: Environment, namespace: string): void {
  const kind = env.kinds.find('', 'v1', 'resourcequotas');
  if (kind === undefined) return;
  for (const quota of quotasOf(env, namespace)) {
    const hard = readAmounts(asJson(quota.spec).hard);
    const usage = currentUsage(env, namespace, [...hard.keys()]);
    const used: Usage = new Map(
      [...hard.keys()].map((name) => [name, usage.get(name) ?? parseQuantity('0')]),
    );
    const status = { hard: writeAmounts(hard), used: writeAmounts(used) };
    if (equalJson(status, quota.status)) continue;
    updateObject(env, {
      kind,
      namespace,
      name: quota.metadata.name ?? '',
      subresource: 'status',
      produce: (current) => ({ ...current, metadata: { ...current.metadata }, status }),
      context: SERVER_CONTEXT,
    });
  }
}
