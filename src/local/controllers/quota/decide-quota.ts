import type { Container, KubeObject, Pod, Service } from '../../../api/core.ts';
import { formatQuantity, parseQuantity, QuantityError } from '../../../api/quantity.ts';
import { isFinished } from '../shared/pods.ts';
import type { PersistentVolumeClaim, ResourceQuota } from '../shared/types.ts';

type Amounts = Record<string, string>;

/** Objects of a resource (`plural` or `plural.group`) in the quota's namespace. */
export type ObjectsOf = (resource: string) => readonly KubeObject[];

/** Resources of the core group that quotas name without `count/`. */
const COUNTED = new Set([
  'pods',
  'services',
  'configmaps',
  'secrets',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
]);

/** Names by which a quota limits what pods request or may use. */
const POD_AMOUNTS: Readonly<Record<string, readonly ['requests' | 'limits', string]>> = {
  cpu: ['requests', 'cpu'],
  memory: ['requests', 'memory'],
  'ephemeral-storage': ['requests', 'ephemeral-storage'],
  'requests.cpu': ['requests', 'cpu'],
  'requests.memory': ['requests', 'memory'],
  'requests.ephemeral-storage': ['requests', 'ephemeral-storage'],
  'limits.cpu': ['limits', 'cpu'],
  'limits.memory': ['limits', 'memory'],
  'limits.ephemeral-storage': ['limits', 'ephemeral-storage'],
};

/** What a namespace uses of each resource that the quota limits; unknown names are left out. Scopes are not looked at. */
export function quotaStatus(
  quota: ResourceQuota,
  objectsOf: ObjectsOf,
): NonNullable<ResourceQuota['status']> {
  const hard: Amounts = { ...quota.spec?.hard };
  const used: Amounts = {};
  for (const name of Object.keys(hard)) {
    const amount = usedOf(name, objectsOf);
    if (amount !== undefined) used[name] = amount;
  }
  return { hard, used };
}

function usedOf(name: string, objectsOf: ObjectsOf): string | undefined {
  if (name === 'pods' || name === 'count/pods') {
    const pods = podsOf(objectsOf);
    return String(name === 'pods' ? pods.filter((pod) => !isFinished(pod)).length : pods.length);
  }
  const counted = name.startsWith('count/') ? name.slice('count/'.length) : name;
  if (counted !== name || COUNTED.has(name)) return String(objectsOf(counted).length);
  if (name === 'services.loadbalancers') return String(servicesOf(objectsOf, 'LoadBalancer').length);
  if (name === 'services.nodeports') {
    const services = [...servicesOf(objectsOf, 'NodePort'), ...servicesOf(objectsOf, 'LoadBalancer')];
    return String(services.reduce((sum, { spec }) => sum + (spec?.ports?.length ?? 0), 0));
  }
  if (name === 'requests.storage') return requestedStorage(objectsOf);
  const amount = POD_AMOUNTS[name];
  return amount === undefined ? undefined : podAmount(objectsOf, ...amount);
}

function podsOf(objectsOf: ObjectsOf): Pod[] {
  // What is listed under `pods` are pods.
  return [...objectsOf('pods')] as Pod[];
}

function servicesOf(objectsOf: ObjectsOf, type: string): Service[] {
  // What is listed under `services` are services.
  return ([...objectsOf('services')] as Service[]).filter(({ spec }) => spec?.type === type);
}

function requestedStorage(objectsOf: ObjectsOf): string {
  // What is listed under this name are claims.
  const claims = [...objectsOf('persistentvolumeclaims')] as PersistentVolumeClaim[];
  return sum(claims.map(({ spec }) => spec?.resources?.requests?.storage));
}

function podAmount(objectsOf: ObjectsOf, side: 'requests' | 'limits', resource: string): string {
  const amount = ({ resources }: Container) => resources?.[side]?.[resource];
  const pods = podsOf(objectsOf).filter((pod) => !isFinished(pod));
  return sum(pods.flatMap(({ spec }) => (spec?.containers ?? []).map(amount)));
}

function sum(texts: readonly (string | undefined)[]): string {
  let nano = 0n;
  let format: 'binary' | 'decimal' | 'exponent' = 'decimal';
  for (const text of texts) {
    if (text === undefined) continue;
    try {
      const quantity = parseQuantity(text);
      nano += quantity.nano;
      format = quantity.format;
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
    }
  }
  return formatQuantity({ nano, format });
}
