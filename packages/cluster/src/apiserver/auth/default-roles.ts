/** The cluster roles and bindings that every cluster has. Source: kubernetes.io, RBAC, Default roles and role bindings. */
import type { Json } from '../object.ts';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const ALL = [...WRITE, ...READ];

function rule(verbs: readonly string[], apiGroups: readonly string[], resources: readonly string[]): Json {
  return { verbs: [...verbs], apiGroups: [...apiGroups], resources: [...resources] };
}

const WORKLOADS: readonly Json[] = [
  rule(
    WRITE,
    ['apps'],
    [
      'daemonsets',
      'deployments',
      'deployments/rollback',
      'deployments/scale',
      'replicasets',
      'replicasets/scale',
      'statefulsets',
      'statefulsets/scale',
    ],
  ),
  rule(WRITE, ['autoscaling'], ['horizontalpodautoscalers']),
  rule(WRITE, ['batch'], ['cronjobs', 'jobs']),
  rule(WRITE, ['networking.k8s.io'], ['ingresses', 'networkpolicies']),
  rule(WRITE, ['policy'], ['poddisruptionbudgets']),
];

const EDIT_RULES: readonly Json[] = [
  rule(
    [...READ],
    [''],
    ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'],
  ),
  rule(['impersonate'], [''], ['serviceaccounts']),
  rule(WRITE, [''], ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy']),
  rule(['create'], [''], ['pods/eviction', 'serviceaccounts/token']),
  rule(
    WRITE,
    [''],
    [
      'configmaps',
      'events',
      'persistentvolumeclaims',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'secrets',
      'serviceaccounts',
      'services',
      'services/proxy',
    ],
  ),
  ...WORKLOADS,
  rule(ALL, ['coordination.k8s.io'], ['leases']),
];

const VIEW_RULES: readonly Json[] = [
  rule(
    READ,
    [''],
    [
      'configmaps',
      'endpoints',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'pods',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'serviceaccounts',
      'services',
      'services/status',
      'bindings',
      'events',
      'limitranges',
      'namespaces',
      'namespaces/status',
      'pods/log',
      'pods/status',
      'replicationcontrollers/status',
      'resourcequotas',
      'resourcequotas/status',
    ],
  ),
  rule(READ, ['discovery.k8s.io'], ['endpointslices']),
  rule(
    READ,
    ['apps'],
    [
      'controllerrevisions',
      'daemonsets',
      'daemonsets/status',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
      'statefulsets',
      'statefulsets/scale',
      'statefulsets/status',
    ],
  ),
  rule(READ, ['autoscaling'], ['horizontalpodautoscalers', 'horizontalpodautoscalers/status']),
  rule(READ, ['batch'], ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status']),
  rule(READ, ['networking.k8s.io'], ['ingresses', 'ingresses/status', 'networkpolicies']),
  rule(READ, ['policy'], ['poddisruptionbudgets', 'poddisruptionbudgets/status']),
];

const ADMIN_RULES: readonly Json[] = [
  rule(['create'], ['authorization.k8s.io'], ['localsubjectaccessreviews']),
  rule(ALL, ['rbac.authorization.k8s.io'], ['rolebindings', 'roles']),
];

const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

function role(name: string, rules: readonly Json[], labels: Readonly<Record<string, string>> = {}): Json {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { ...LABELS, ...labels }, annotations: { ...ANNOTATIONS } },
    rules: [...rules],
  };
}

function aggregated(name: string, labels: Readonly<Record<string, string>> = {}): Json {
  const matchLabels = { [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true' };
  return { ...role(name, [], labels), aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } };
}

const to = (name: string): Record<string, string> => ({
  [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true',
});

/** Paths about the server itself. */
const DISCOVERY_PATHS = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];

export const DEFAULT_CLUSTER_ROLES: readonly Json[] = [
  role('cluster-admin', [rule(['*'], ['*'], ['*']), { verbs: ['*'], nonResourceURLs: ['*'] }]),
  role('system:discovery', [{ verbs: ['get'], nonResourceURLs: DISCOVERY_PATHS }]),
  role('system:public-info-viewer', [
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
  ]),
  role('system:basic-user', [
    rule(['create'], ['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']),
    rule(['create'], ['authentication.k8s.io'], ['selfsubjectreviews']),
  ]),
  role('system:auth-delegator', [
    rule(['create'], ['authentication.k8s.io'], ['tokenreviews']),
    rule(['create'], ['authorization.k8s.io'], ['subjectaccessreviews']),
  ]),
  role('system:service-account-issuer-discovery', [
    {
      verbs: ['get'],
      nonResourceURLs: [
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ],
    },
  ]),
  role('system:monitoring', [
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/metrics', '/readyz'] },
  ]),
  aggregated('admin'),
  aggregated('edit', to('admin')),
  aggregated('view', to('edit')),
  role('system:aggregate-to-admin', ADMIN_RULES, to('admin')),
  role('system:aggregate-to-edit', EDIT_RULES, to('edit')),
  role('system:aggregate-to-view', VIEW_RULES, to('view')),
];

/** As the manifests of metrics-server define it. */
export const METRICS_READER_ROLE: Json = role(
  'system:aggregated-metrics-reader',
  [rule(READ, ['metrics.k8s.io'], ['pods', 'nodes'])],
  { ...to('admin'), ...to('edit'), ...to('view') },
);

function binding(name: string, groups: readonly string[]): Json {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: { ...LABELS }, annotations: { ...ANNOTATIONS } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group })),
  };
}

export const DEFAULT_CLUSTER_ROLE_BINDINGS: readonly Json[] = [
  binding('cluster-admin', ['system:masters']),
  binding('system:discovery', ['system:authenticated']),
  binding('system:monitoring', ['system:monitoring']),
  binding('system:basic-user', ['system:authenticated']),
  binding('system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
  binding('system:service-account-issuer-discovery', ['system:serviceaccounts']),
];
