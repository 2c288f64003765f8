/** The cluster roles and bindings that every cluster has. Source: kubernetes.io, RBAC, Default roles and role bindings. */
import { asJson, type Json } from '../object.ts';
import { COMPONENT_RULES, EVENT_GROUPS, READ, READER_OF_AUTHENTICATION, rule } from './component-rules.ts';

const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

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
  rule(
    WRITE,
    ['extensions'],
    [
      'daemonsets',
      'deployments',
      'deployments/rollback',
      'deployments/scale',
      'ingresses',
      'networkpolicies',
      'replicasets',
      'replicasets/scale',
      'replicationcontrollers/scale',
    ],
  ),
  rule(WRITE, ['policy'], ['poddisruptionbudgets']),
  rule(WRITE, ['networking.k8s.io'], ['ingresses', 'networkpolicies']),
];

const EDIT_RULES: readonly Json[] = [
  rule(
    [...READ],
    [''],
    ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'],
  ),
  rule(['impersonate'], [''], ['serviceaccounts']),
  rule(WRITE, [''], ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy']),
  rule(['create'], [''], ['pods/eviction']),
  rule(
    WRITE,
    [''],
    [
      'configmaps',
      'persistentvolumeclaims',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'secrets',
      'serviceaccounts',
      'services',
      'services/proxy',
    ],
  ),
  rule(['create'], [''], ['serviceaccounts/token']),
  rule(WRITE, EVENT_GROUPS, ['events']),
  ...WORKLOADS,
  rule(ALL, ['coordination.k8s.io'], ['leases']),
  rule(WRITE, ['resource.k8s.io'], ['resourceclaims', 'resourceclaimtemplates']),
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
    ],
  ),
  rule(
    READ,
    [''],
    [
      'bindings',
      'limitranges',
      'namespaces/status',
      'pods/log',
      'pods/status',
      'replicationcontrollers/status',
      'resourcequotas',
      'resourcequotas/status',
    ],
  ),
  rule(READ, [''], ['namespaces']),
  rule(READ, EVENT_GROUPS, ['events']),
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
  rule(
    READ,
    ['extensions'],
    [
      'daemonsets',
      'daemonsets/status',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'ingresses',
      'ingresses/status',
      'networkpolicies',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
      'replicationcontrollers/scale',
    ],
  ),
  rule(READ, ['policy'], ['poddisruptionbudgets', 'poddisruptionbudgets/status']),
  rule(READ, ['networking.k8s.io'], ['ingresses', 'ingresses/status', 'networkpolicies']),
  rule(READ, ['resource.k8s.io'], ['resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates']),
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
    {
      verbs: ['get'],
      nonResourceURLs: [
        '/healthz',
        '/healthz/*',
        '/livez',
        '/livez/*',
        '/metrics',
        '/metrics/slis',
        '/readyz',
        '/readyz/*',
      ],
    },
  ]),
  aggregated('admin'),
  aggregated('edit', to('admin')),
  aggregated('view', to('edit')),
  role('system:aggregate-to-admin', ADMIN_RULES, to('admin')),
  role('system:aggregate-to-edit', EDIT_RULES, to('edit')),
  role('system:aggregate-to-view', VIEW_RULES, to('view')),
];

/** For components that may run beside the cluster's own. */
export const COMPONENT_ROLES: readonly Json[] = COMPONENT_RULES.map(([name, rules]) => role(name, rules));

/** As the manifests of metrics-server define it. */
export const METRICS_READER_ROLE: Json = role(
  'system:aggregated-metrics-reader',
  [rule(READ, ['metrics.k8s.io'], ['pods', 'nodes'])],
  { ...to('admin'), ...to('edit'), ...to('view') },
);

type Subject = readonly [kind: 'Group' | 'User' | 'ServiceAccount', name: string];

function binding(name: string, subjects: readonly Subject[], kind = 'ClusterRole', role = name): Json {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: `${kind}Binding`,
    metadata: { name, labels: { ...LABELS }, annotations: { ...ANNOTATIONS } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
    subjects: subjects.map(([kind, name]) =>
      kind === 'ServiceAccount'
        ? { kind, name, namespace: SYSTEM }
        : { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    ),
  };
}

/** Where accounts and roles of the cluster itself are. */
const SYSTEM = 'kube-system';

const AUTHENTICATED: Subject = ['Group', 'system:authenticated'];
const MANAGER: Subject = ['User', 'system:kube-controller-manager'];
const SCHEDULER: Subject = ['User', 'system:kube-scheduler'];

export const DEFAULT_CLUSTER_ROLE_BINDINGS: readonly Json[] = [
  binding('cluster-admin', [['Group', 'system:masters']]),
  binding('system:discovery', [AUTHENTICATED]),
  binding('system:monitoring', [['Group', 'system:monitoring']]),
  binding('system:basic-user', [AUTHENTICATED]),
  binding('system:public-info-viewer', [AUTHENTICATED, ['Group', 'system:unauthenticated']]),
  binding('system:service-account-issuer-discovery', [['Group', 'system:serviceaccounts']]),
];

export const COMPONENT_ROLE_BINDINGS: readonly Json[] = [
  binding('system:kube-controller-manager', [MANAGER]),
  binding('system:kube-dns', [['ServiceAccount', 'kube-dns']]),
  binding('system:kube-scheduler', [SCHEDULER]),
  binding('system:node-proxier', [['User', 'system:kube-proxy']]),
  binding('system:volume-scheduler', [SCHEDULER]),
];

const AUTHENTICATION_READER = 'extension-apiserver-authentication-reader';

function inSystem(object: Json): Json {
  return { ...object, metadata: { ...asJson(object.metadata), namespace: SYSTEM } };
}

/** What servers beside this one may read, such as schedulers and metrics servers: who signs the certificates of clients. */
export const SYSTEM_ROLES: readonly Json[] = [
  inSystem({ ...role(AUTHENTICATION_READER, [READER_OF_AUTHENTICATION]), kind: 'Role' }),
];

export const SYSTEM_ROLE_BINDINGS: readonly Json[] = [
  inSystem(binding(`system::${AUTHENTICATION_READER}`, [MANAGER, SCHEDULER], 'Role', AUTHENTICATION_READER)),
];
