/** Objects that every cluster has from its first moment. */
import {
  DEFAULT_CLUSTER_ROLE_BINDINGS,
  DEFAULT_CLUSTER_ROLES,
  METRICS_READER_ROLE,
} from './auth/default-roles.ts';
import { clone, type Json } from './object.ts';
import { createObject } from './registry/create.ts';
import type { ServerParts } from './registry/environment.ts';
import { SERVER_CONTEXT } from './registry/server-context.ts';
import { updateObject } from './registry/update.ts';
import { toKind } from './request/admit-body.ts';

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

/** Default roles, bindings and priority classes; those that are there already stay as they are. */
export function createSystemObjects(env: ServerParts): void {
  for (const [plural, objects] of [
    ['clusterroles', DEFAULT_CLUSTER_ROLES],
    ['clusterrolebindings', DEFAULT_CLUSTER_ROLE_BINDINGS],
  ] as const) {
    ensure(env, 'rbac.authorization.k8s.io', plural, objects);
  }
  ensure(env, 'scheduling.k8s.io', 'priorityclasses', PRIORITY_CLASSES);
}

/** The role by which users who may view, edit or administer a namespace may also read the usage of its pods. */
export function createMetricsRole(env: ServerParts): void {
  ensure(env, 'rbac.authorization.k8s.io', 'clusterroles', [METRICS_READER_ROLE]);
}

function ensure(env: ServerParts, group: string, plural: string, objects: readonly Json[]): void {
  const kind = env.kinds.find(group, 'v1', plural);
  if (kind === undefined) return;
  for (const given of objects) {
    const object = toKind(kind, clone(given), 'Strict', []);
    if (env.store.get(kind.definition.table, '', object.metadata.name ?? '') !== undefined) continue;
    createObject(env, kind, '', object, SERVER_CONTEXT);
  }
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
