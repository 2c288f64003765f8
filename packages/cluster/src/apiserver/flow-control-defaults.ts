/** The flow schemas and priority levels that every cluster has. Source: kubernetes.io, API priority and fairness, Default. */
import type { Json } from './object.ts';

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';
const ANNOTATIONS = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

function level(name: string, spec: Json): Json {
  const metadata = { name, annotations: { ...ANNOTATIONS } };
  return { apiVersion: API_VERSION, kind: 'PriorityLevelConfiguration', metadata, spec };
}

/** A level with queues: its share of all requests, how much of that others may borrow in percent, number of queues, size of a hand. */
function queued(name: string, shares: number, lendable: number, queues: number, handSize: number): Json {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  return level(name, {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: lendable,
      limitResponse: { type: 'Queue', queuing },
    },
  });
}

export const PRIORITY_LEVELS: readonly Json[] = [
  level('catch-all', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  }),
  level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  queued('global-default', 20, 50, 128, 6),
  queued('leader-election', 10, 0, 16, 4),
  queued('node-high', 40, 25, 64, 6),
  queued('system', 30, 33, 64, 6),
  queued('workload-high', 40, 50, 128, 6),
  queued('workload-low', 100, 90, 128, 6),
];

const EVERY = ['*'];
const ALL_RESOURCES = {
  verbs: EVERY,
  apiGroups: EVERY,
  resources: EVERY,
  clusterScope: true,
  namespaces: EVERY,
};
const ALL_PATHS = { verbs: EVERY, nonResourceURLs: EVERY };
const EVERYTHING = { resourceRules: [ALL_RESOURCES], nonResourceRules: [ALL_PATHS] };

const LEADER_LEASES = {
  verbs: ['get', 'create', 'update'],
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: EVERY,
};

const groups = (...names: readonly string[]): Json[] =>
  names.map((name) => ({ kind: 'Group', group: { name } }));
const users = (...names: readonly string[]): Json[] =>
  names.map((name) => ({ kind: 'User', user: { name } }));
const SYSTEM_ACCOUNTS = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const ANYBODY = groups('system:unauthenticated', 'system:authenticated');

/** A schema: its level, its place in the order, what tells flows apart, who, and which requests. */
function schema(
  name: string,
  priorityLevel: string,
  matchingPrecedence: number,
  distinguisher: '' | 'ByUser' | 'ByNamespace',
  subjects: readonly Json[],
  requests: Json = EVERYTHING,
): Json {
  return {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name, annotations: { ...ANNOTATIONS } },
    spec: {
      priorityLevelConfiguration: { name: priorityLevel },
      matchingPrecedence,
      ...(distinguisher !== '' && { distinguisherMethod: { type: distinguisher } }),
      rules: [{ subjects, ...requests }],
    },
  };
}

export const FLOW_SCHEMAS: readonly Json[] = [
  schema('exempt', 'exempt', 1, '', groups('system:masters')),
  schema('probes', 'exempt', 2, '', ANYBODY, {
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  schema(
    'system-leader-election',
    'leader-election',
    100,
    'ByUser',
    [...users('system:kube-controller-manager', 'system:kube-scheduler'), SYSTEM_ACCOUNTS],
    { resourceRules: [LEADER_LEASES] },
  ),
  schema('system-node-high', 'node-high', 400, 'ByUser', groups('system:nodes'), {
    resourceRules: [
      {
        verbs: EVERY,
        apiGroups: [''],
        resources: ['nodes', 'nodes/status'],
        clusterScope: true,
        namespaces: EVERY,
      },
      { verbs: EVERY, apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: EVERY },
    ],
  }),
  schema('system-nodes', 'system', 500, 'ByUser', groups('system:nodes')),
  schema(
    'kube-controller-manager',
    'workload-high',
    800,
    'ByNamespace',
    users('system:kube-controller-manager'),
  ),
  schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', users('system:kube-scheduler')),
  schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', [SYSTEM_ACCOUNTS]),
  schema('service-accounts', 'workload-low', 9000, 'ByUser', groups('system:serviceaccounts')),
  schema('global-default', 'global-default', 9900, 'ByUser', ANYBODY),
  schema('catch-all', 'catch-all', 10_000, 'ByUser', ANYBODY),
];
