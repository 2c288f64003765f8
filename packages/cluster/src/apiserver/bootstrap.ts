/** Objects that every cluster has from its first moment. */
import type { Version } from '../store/index.ts';
import {
  DEFAULT_CLUSTER_ROLE_BINDINGS,
  DEFAULT_CLUSTER_ROLES,
  METRICS_READER_ROLE,
} from './auth/default-roles.ts';
import { compactRules, rulesOf, uncovered } from './auth/rule.ts';
import { asList, asObjects, asString, clone, type Json, valueAt } from './object.ts';
import { createObject } from './registry/create.ts';
import type { ServerParts } from './registry/environment.ts';
import type { ServedKind } from './registry/registry.ts';
import { SERVER_CONTEXT } from './registry/server-context.ts';
import { updateObject } from './registry/update.ts';
import { toKind } from './request/admit-body.ts';
import { objectOf } from './stored-object.ts';

/** Whether newer releases may add to a role. */
const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

export function createSystemNamespaces(env: ServerParts): void {
  const kind = env.kinds.find('', 'v1', 'namespaces');
  if (kind === undefined) return;
  for (const name of SYSTEM_NAMESPACES) {
    if (env.store.get(kind.definition.table, '', name) !== undefined) continue;
    createObject(env, kind, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, SERVER_CONTEXT);
  }
}

const PRIORITY_CLASSES: readonly Json[] = [
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
].map(({ name, value, description }) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description,
  preemptionPolicy: 'PreemptLowerPriority',
}));

/** Default roles, bindings and priority classes; those that are there already stay, with what newer roles allow beyond them. */
export function createSystemObjects(env: ServerParts): void {
  for (const [plural, objects] of [
    ['clusterroles', DEFAULT_CLUSTER_ROLES],
    ['clusterrolebindings', DEFAULT_CLUSTER_ROLE_BINDINGS],
  ] as const) {
    ensureObjects(env, 'rbac.authorization.k8s.io', plural, objects);
  }
  ensureObjects(env, 'scheduling.k8s.io', 'priorityclasses', PRIORITY_CLASSES);
}

/** The role by which users who may view, edit or administer a namespace may also read the usage of its pods. */
export function createMetricsRole(env: ServerParts): void {
  ensureObjects(env, 'rbac.authorization.k8s.io', 'clusterroles', [METRICS_READER_ROLE]);
}

/** Creates those of the objects that are not there. */
export function ensureObjects(
  env: ServerParts,
  group: string,
  plural: string,
  objects: readonly Json[],
): void {
  const kind = env.kinds.find(group, 'v1', plural);
  if (kind === undefined) return;
  for (const given of objects) {
    const name = asString(valueAt(given, 'metadata', 'name'));
    const namespace = asString(valueAt(given, 'metadata', 'namespace'));
    const present = env.store.get(kind.definition.table, namespace, name);
    if (present === undefined) {
      createObject(env, kind, namespace, toKind(kind, clone(given), 'Strict', []), SERVER_CONTEXT);
    } else if (given.rules !== undefined) {
      grantWhatIsNew(env, kind, present, given);
    }
  }
}

/** Gives a role of an earlier release what it does not allow yet, unless its users have said that they look after it. */
function grantWhatIsNew(env: ServerParts, kind: ServedKind, present: Version, given: Json): void {
  const role = objectOf(present);
  const isKept = role.metadata.annotations?.[AUTOUPDATE] === 'false';
  if (isKept || role.aggregationRule !== undefined) return;
  const missing = compactRules(uncovered(rulesOf(role), rulesOf(given)));
  if (missing.length === 0) return;
  updateObject(env, {
    kind,
    namespace: present.namespace,
    name: present.name,
    subresource: '',
    produce: (current) => {
      const rules = [...asObjects(current.rules), ...missing.map(withoutEmptyLists)];
      return { ...current, metadata: { ...current.metadata }, rules };
    },
    context: SERVER_CONTEXT,
  });
}

function withoutEmptyLists(rule: object): Json {
  return Object.fromEntries(Object.entries(rule).filter(([, list]) => asList(list).length > 0));
}

/** What programs that authenticate by client certificates need to know; under the name that they read. */
export function publishAuthority(env: ServerParts, authority: string): void {
  put(env, '', 'configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: { 'client-ca-file': authority },
  });
}

const SERVICE_LABELS = { component: 'apiserver', provider: 'kubernetes' };

/** The service `kubernetes` and its endpoints, by which pods find the API server. */
export function publishServer(env: ServerParts, address: string, host: string, port: number): void {
  const ports = [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }];
  put(env, '', 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { ...SERVICE_LABELS } },
    spec: { type: 'ClusterIP', clusterIP: address, clusterIPs: [address], sessionAffinity: 'None', ports },
  });
  put(env, '', 'endpoints', {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [{ addresses: [{ ip: host }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  });
  put(env, 'discovery.k8s.io', 'endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  });
}

/** Creates an object, or brings it up to date: the port may have changed with a restart. */
function put(env: ServerParts, group: string, plural: string, given: Json): void {
  const kind = env.kinds.find(group, 'v1', plural);
  if (kind === undefined) return;
  const object = toKind(kind, given, 'Strict', []);
  updateObject(env, {
    kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    subresource: '',
    produce: () => object,
    produceMissing: () => object,
    context: SERVER_CONTEXT,
  });
}
