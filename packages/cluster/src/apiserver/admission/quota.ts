/** Resource quotas: refuses what would exceed them, and keeps their status. Source: kubernetes.io, Resource Quotas. */
import { equalJson } from '@turnsole/kube/text/json';
import { formatQuantity, parseQuantity, type Quantity } from '@turnsole/kube/text/quantity';
import { forbidden } from '../http/status.ts';
import { type ApiObject, asJson, asList, asObjects, asString, valueAt } from '../object.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';
import { SERVER_CONTEXT } from '../registry/server-context.ts';
import { updateObject } from '../registry/update.ts';
import { objectOf } from '../stored-object.ts';
import { isInScope } from './quota-scopes.ts';
import { isPodResize, plus, podAmounts, readAmounts, writeAmounts } from './resources.ts';

const TABLE = 'resourcequotas';
const ONE = parseQuantity('1');
/** Separates a storage class from the counted resource of its claims. */
const OF_CLASS = '.storageclass.storage.k8s.io/';
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

/** Refuses a creation, or the resize of a pod, that a quota of the namespace does not leave room for. Throws Forbidden. */
export function reviewQuota(env: ServerParts, attempt: AdmissionAttempt): void {
  const { operation, subresource, object, old, namespace, definition, name } = attempt;
  if (object === undefined || !definition.namespaced) return;
  const isResize = isPodResize(attempt);
  if (!isResize && (operation !== 'create' || subresource !== '')) return;
  for (const quota of quotasOf(env, namespace)) {
    if (!isInScope(quota, definition.table, object)) continue;
    const hard = readAmounts(asJson(quota.spec).hard);
    const before = isResize && old !== undefined ? usageOf(definition.table, old) : undefined;
    const asked = increase(usageOf(definition.table, object), before);
    const relevant = [...hard.keys()].filter((resource) => asked.has(resource));
    const quotaName = quota.metadata.name ?? '';
    checkGiven(attempt, object, [...hard.keys()], quotaName);
    if (relevant.length === 0) continue;
    const used = currentUsage(env, quota, [...hard.keys()]);
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

/** What is asked for beyond what there is already; what does not grow is left out. Pure. */
function increase(usage: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return usage;
  const grown = [...usage].map(([name, { nano, format }]): [string, Quantity] => [
    name,
    { nano: nano - (before.get(name)?.nano ?? 0n), format },
  ]);
  return new Map(grown.filter(([, { nano }]) => nano > 0n));
}

/** Where a quota limits a resource, every pod has to set its amount. */
function checkGiven(attempt: AdmissionAttempt, pod: ApiObject, hard: readonly string[], quota: string): void {
  const { definition, name } = attempt;
  if (definition.table !== 'pods') return;
  const lacking = new Map<string, string[]>();
  for (const resource of hard.toSorted()) {
    for (const container of lackingContainers(pod, resource)) {
      const of = lacking.get(resource) ?? [];
      lacking.set(resource, [...of, container]);
    }
  }
  if (lacking.size === 0) return;
  const words = [...lacking].map(([resource, containers]) => `${resource} for: ${containers.join(',')}`);
  throw forbidden(definition, name, `failed quota: ${quota}: must specify ${words.join('; ')}`);
}

/** Names of the containers that leave out an amount which a quota limits. Pure. */
function lackingContainers({ spec }: ApiObject, resource: string): string[] {
  const [, field = 'requests', amount] = /^(?:(requests|limits)\.)?(cpu|memory)$/.exec(resource) ?? [];
  if (amount === undefined) return [];
  const containers = [...asObjects(asJson(spec).initContainers), ...asObjects(asJson(spec).containers)];
  return containers
    .filter((container) => valueAt(container, 'resources', field, amount) === undefined)
    .map((container) => asString(container.name))
    .toSorted();
}

function quotasOf(env: ServerParts, namespace?: string): ApiObject[] {
  if (env.store.count(TABLE) === 0) return [];
  return env.store.list(TABLE, namespace).versions.map(objectOf);
}

/** What one object uses. */
function usageOf(table: string, object: ApiObject): Usage {
  const usage: Usage = new Map([[`count/${table}`, ONE]]);
  if (COUNTED.includes(table)) usage.set(table, ONE);
  if (table === 'services') {
    const type = asJson(object.spec).type;
    const ports = asList(asJson(object.spec).ports).length;
    if (type === 'NodePort' || type === 'LoadBalancer') {
      usage.set('services.nodeports', parseQuantity(String(ports)));
    }
    if (type === 'LoadBalancer') usage.set('services.loadbalancers', ONE);
  }
  if (table === 'persistentvolumeclaims') addClaim(usage, object);
  // A pod that has ended counts as an object, without its requests and limits.
  if (table === 'pods' && hasEnded(object)) usage.delete('pods');
  if (table !== 'pods' || hasEnded(object)) return usage;
  for (const [name, quantity] of podAmounts(object, 'requests')) {
    usage.set(`requests.${name}`, quantity);
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage') usage.set(name, quantity);
  }
  for (const [name, quantity] of podAmounts(object, 'limits')) usage.set(`limits.${name}`, quantity);
  return usage;
}

/** A claim counts in all, and by its storage class. */
function addClaim(usage: Usage, claim: ApiObject): void {
  const { storage } = asJson(valueAt(claim, 'spec', 'resources', 'requests'));
  const amounts: [string, Quantity][] = [['persistentvolumeclaims', ONE]];
  if (storage !== undefined) amounts.push(['requests.storage', parseQuantity(asString(storage))]);
  const storageClass = asString(asJson(claim.spec).storageClassName);
  for (const [name, quantity] of amounts) {
    usage.set(name, quantity);
    if (storageClass !== '') usage.set(`${storageClass}${OF_CLASS}${name}`, quantity);
  }
}

function hasEnded(pod: ApiObject): boolean {
  const { phase } = asJson(pod.status);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** The kind of objects that a quota's resource is counted of. */
function tableOf(resource: string): string {
  if (resource.startsWith('count/')) return resource.slice('count/'.length);
  if (resource.startsWith('services.')) return 'services';
  if (resource === 'requests.storage' || resource.includes(OF_CLASS)) return 'persistentvolumeclaims';
  return COUNTED.includes(resource) ? resource : 'pods';
}

function currentUsage(env: ServerParts, quota: ApiObject, resources: readonly string[]): Usage {
  const { namespace = '' } = quota.metadata;
  const tables = new Set(resources.map(tableOf));
  const total: Usage = new Map();
  for (const table of tables) {
    for (const version of env.store.list(table, namespace).versions) {
      const object = objectOf(version);
      if (!isInScope(quota, table, object)) continue;
      for (const [resource, quantity] of usageOf(table, object)) {
        if (resources.includes(resource)) total.set(resource, plus(total.get(resource), quantity));
      }
    }
  }
  return total;
}

/** Keeps `status` of quotas equal to the present usage. */
export function startQuotaStatus(env: ServerParts): void {
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
  const observed = new Set<string>();
  const follow = (table: string): void => {
    if (observed.has(table)) return;
    observed.add(table);
    env.store.observe(table, ({ version }) => mark(version.namespace));
  };
  const followCounted = (quota: ApiObject): void => {
    for (const resource of Object.keys(asJson(asJson(quota.spec).hard))) follow(tableOf(resource));
  };
  // Other kinds are followed from the first quota on that counts them.
  for (const table of COUNTED) follow(table);
  for (const quota of quotasOf(env)) followCounted(quota);
  env.store.observe(TABLE, ({ version }) => followCounted(objectOf(version)));
}

function writeStatus(env: ServerParts, namespace: string): void {
  const kind = env.kinds.find('', 'v1', 'resourcequotas');
  if (kind === undefined) return;
  for (const quota of quotasOf(env, namespace)) {
    const hard = readAmounts(asJson(quota.spec).hard);
    const usage = currentUsage(env, quota, [...hard.keys()]);
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
