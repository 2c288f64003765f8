/** Who may do what: roles, bindings, aggregation, escalation. */
import {
  allow,
  BINDINGS,
  bind,
  CLUSTER_BINDINGS,
  CLUSTER_ROLES,
  JANE,
  RBAC,
  READ_PODS,
  ROLES,
  role,
  SOMEBODY,
} from '../harness/access-objects.ts';
import type { Theme } from '../harness/scenario.ts';
import {
  apis,
  awaiting,
  configMap,
  core,
  get,
  patch,
  pod,
  post,
  put,
  remove,
  setup,
} from '../harness/steps.ts';

const CM = core('configmaps');
const PODS = core('pods');

export const ROLE_BASED_ACCESS: Theme = {
  theme: 'rbac',
  scenarios: [
    {
      name: 'rbac-deny-by-default',
      steps: [
        get(CM, { headers: JANE }),
        get(`${CM}/a`, { headers: JANE }),
        post(CM, configMap('a'), { headers: JANE }),
        put(`${CM}/a`, configMap('a'), { headers: JANE }),
        patch('merge', `${CM}/a`, {}, { headers: JANE }),
        remove(`${CM}/a`, undefined, { headers: JANE }),
        remove(CM, undefined, { headers: JANE }),
        get(`${CM}?watch=1`, { headers: JANE }),
        get('/api/v1/nodes', { headers: JANE }),
        get('/api/v1/pods', { headers: JANE }),
        get(`${PODS}/p/log`, { headers: JANE }),
        get(apis('apps/v1', 'deployments', 'd/scale'), { headers: JANE }),
        get('/apis/apps/v1/namespaces/{ns}/nonsense', { headers: JANE }),
        get('/logs', { headers: JANE }),
      ],
    },
    {
      name: 'rbac-role-allows',
      steps: [
        ...allow(READ_PODS, { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] }),
        get(PODS, { headers: JANE }),
        post(CM, configMap('a'), { headers: JANE }),
        get(`${CM}/a`, { headers: JANE }),
        get(CM, { headers: JANE }),
        patch('merge', `${CM}/a`, { data: { a: 'b' } }, { headers: JANE }),
        remove(`${CM}/a`, undefined, { headers: JANE }),
        get('/api/v1/namespaces/default/pods', { headers: JANE }),
        get('/api/v1/pods', { headers: JANE }),
      ],
    },
    {
      name: 'rbac-resource-names',
      steps: [
        ...allow({
          apiGroups: [''],
          resources: ['configmaps'],
          resourceNames: ['mine'],
          verbs: ['get', 'update', 'list', 'create'],
        }),
        setup(post(CM, configMap('mine'))),
        get(`${CM}/mine`, { headers: JANE }),
        get(`${CM}/other`, { headers: JANE }),
        post(CM, configMap('mine'), { headers: JANE }),
        get(CM, { headers: JANE }),
        get(`${CM}?fieldSelector=metadata.name%3Dmine`, { headers: JANE }),
      ],
    },
    {
      name: 'rbac-subresources-are-separate',
      steps: [
        ...allow({ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'patch'] }),
        setup(post(PODS, pod('p'))),
        patch('merge', `${PODS}/p`, { metadata: { labels: { a: 'b' } } }, { headers: JANE }),
        patch('merge', `${PODS}/p/status`, { status: { phase: 'Failed' } }, { headers: JANE }),
        post(
          `${PODS}/p/eviction`,
          { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
          { headers: JANE },
        ),
        get(`${PODS}/p/log`, { headers: JANE }),
        post(`${PODS}/p/exec?command=ls`, undefined, { headers: JANE }),
      ],
    },
    {
      name: 'rbac-wildcards',
      steps: [
        ...allow(
          { apiGroups: ['*'], resources: ['*/scale'], verbs: ['*'] },
          { apiGroups: ['apps'], resources: ['*'], verbs: ['get'] },
        ),
        get(apis('apps/v1', 'deployments', 'none/scale'), { headers: JANE }),
        get(apis('apps/v1', 'deployments', 'none/status'), { headers: JANE }),
        get(apis('apps/v1', 'deployments'), { headers: JANE }),
        get(`${core('replicationcontrollers')}/none/scale`, { headers: JANE }),
      ],
    },
    {
      name: 'rbac-groups',
      steps: [
        setup(post(ROLES, role('r', READ_PODS))),
        setup(
          post(BINDINGS, {
            ...bind('b', 'r', 'x'),
            subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
          }),
        ),
        get(PODS, { headers: { ...SOMEBODY, 'impersonate-group': 'devs' } }),
        get(PODS, { headers: SOMEBODY }),
      ],
    },
    {
      name: 'rbac-service-account-groups',
      steps: [
        setup(post(ROLES, role('r', READ_PODS))),
        setup(
          post(BINDINGS, {
            ...bind('b', 'r', 'x'),
            subjects: [
              { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts:{ns}' },
            ],
          }),
        ),
        get(PODS, { headers: { 'impersonate-user': 'system:serviceaccount:{ns}:default' } }),
        get(PODS, { headers: { 'impersonate-user': 'system:serviceaccount:other:default' } }),
      ],
    },
    {
      name: 'rbac-binding-to-cluster-role',
      steps: [
        setup(post(BINDINGS, bind('b', 'view', 'jane', 'ClusterRole'))),
        get(`${CM}?labelSelector=none`, { headers: JANE }),
        get(core('secrets'), { headers: JANE }),
        post(CM, configMap('a'), { headers: JANE }),
        get('/api/v1/namespaces/{ns}', { headers: JANE }),
        get('/api/v1/namespaces/default/configmaps', { headers: JANE }),
      ],
    },
    {
      name: 'rbac-cluster-binding',
      steps: [
        setup(
          post(CLUSTER_ROLES, {
            apiVersion: RBAC,
            kind: 'ClusterRole',
            metadata: { name: 'c-rbac-cluster-binding' },
            rules: [
              { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
              { nonResourceURLs: ['/c-rbac/*'], verbs: ['get'] },
            ],
          }),
        ),
        setup(
          post(CLUSTER_BINDINGS, {
            ...bind('c-rbac-cluster-binding', 'c-rbac-cluster-binding', 'c-rbac-user', 'ClusterRole'),
            kind: 'ClusterRoleBinding',
          }),
        ),
        get('/api/v1/namespaces/default/configmaps/none', { headers: { 'impersonate-user': 'c-rbac-user' } }),
        // The body lists the paths there are.
        get('/c-rbac/x', { headers: { 'impersonate-user': 'c-rbac-user' }, ignore: ['/body'] }),
        get('/c-rbac-other', { headers: { 'impersonate-user': 'c-rbac-user' } }),
      ],
    },
    {
      name: 'rbac-role-ref-is-immutable',
      steps: [
        setup(post(BINDINGS, bind('b', 'r', 'jane'))),
        patch(
          'merge',
          `${BINDINGS}/b`,
          { roleRef: { name: 'other' } },
          {
            // The value is printed in Go's own format.
            ignore: ['/body/message', '/body/details/causes/*/message'],
          },
        ),
        post(BINDINGS, bind('bad', 'r', 'jane', 'Nonsense')),
        post(BINDINGS, {
          ...bind('bad', 'r', 'jane'),
          roleRef: { kind: 'Role', name: 'r', apiGroup: 'nonsense' },
        }),
        post(BINDINGS, {
          ...bind('bad', 'r', 'jane'),
          subjects: [
            { kind: 'ServiceAccount', name: 'x' },
            { kind: 'Nonsense', name: 'x' },
            { kind: 'User' },
          ],
        }),
        post(BINDINGS, { ...bind('bad', 'r', 'jane'), roleRef: {} }),
      ],
    },
    {
      name: 'rbac-rules-invalid',
      steps: [
        post(ROLES, role('a', { apiGroups: [''], resources: ['pods'] })),
        post(ROLES, role('a', { resources: ['pods'], verbs: ['get'] })),
        post(ROLES, role('a', { apiGroups: [''], verbs: ['get'] })),
        post(ROLES, role('a', { nonResourceURLs: ['/x'], verbs: ['get'] })),
        post(CLUSTER_ROLES, {
          ...role('c-rules-invalid', {
            nonResourceURLs: ['/x'],
            resources: ['pods'],
            apiGroups: [''],
            verbs: ['get'],
          }),
          kind: 'ClusterRole',
        }),
      ],
    },
    {
      name: 'rbac-escalation-of-roles',
      steps: [
        ...allow(
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            resources: ['roles'],
            verbs: ['create', 'update', 'patch', 'get'],
          },
          READ_PODS,
        ),
        post(ROLES, role('same', READ_PODS), { headers: JANE }),
        post(ROLES, role('less', { apiGroups: [''], resources: ['pods'], verbs: ['get'] }), {
          headers: JANE,
        }),
        post(
          ROLES,
          role('more', { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get', 'delete'] }),
          { headers: JANE },
        ),
        patch(
          'merge',
          `${ROLES}/less`,
          { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
          { headers: JANE },
        ),
        patch('merge', `${ROLES}/less`, { metadata: { labels: { a: 'b' } } }, { headers: JANE }),
      ],
    },
    {
      name: 'rbac-escalation-of-bindings',
      steps: [
        ...allow(
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: ['create'] },
          READ_PODS,
        ),
        setup(post(ROLES, role('weak', READ_PODS))),
        setup(post(ROLES, role('strong', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }))),
        post(BINDINGS, bind('fine', 'weak', 'jane'), { headers: JANE }),
        post(BINDINGS, bind('bad', 'strong', 'jane'), { headers: JANE }),
        post(BINDINGS, bind('unknown', 'none', 'jane'), { headers: JANE }),
      ],
    },
    {
      name: 'rbac-bind-and-escalate-verbs',
      steps: [
        ...allow(
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            resources: ['rolebindings', 'roles'],
            verbs: ['create'],
          },
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            resources: ['roles'],
            resourceNames: ['strong'],
            verbs: ['bind'],
          },
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['escalate'] },
        ),
        setup(post(ROLES, role('strong', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }))),
        setup(post(ROLES, role('other', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }))),
        post(BINDINGS, bind('fine', 'strong', 'jane'), { headers: JANE }),
        post(BINDINGS, bind('bad', 'other', 'jane'), { headers: JANE }),
        post(ROLES, role('new', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }), { headers: JANE }),
      ],
    },
    {
      name: 'rbac-aggregation',
      steps: [
        setup(
          post(CLUSTER_ROLES, {
            apiVersion: RBAC,
            kind: 'ClusterRole',
            metadata: { name: 'c-aggregated' },
            aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'c-aggregate': 'yes' } }] },
            rules: [],
          }),
        ),
        setup(
          post(CLUSTER_ROLES, {
            apiVersion: RBAC,
            kind: 'ClusterRole',
            metadata: { name: 'c-aggregated-part', labels: { 'c-aggregate': 'yes' } },
            rules: [READ_PODS],
          }),
        ),
        awaiting(`${CLUSTER_ROLES}/c-aggregated`, { equals: { '/rules/0/resources/0': 'pods' } }),
        setup(remove(`${CLUSTER_ROLES}/c-aggregated-part`)),
        awaiting(`${CLUSTER_ROLES}/c-aggregated`, { absent: ['/rules/0'] }),
      ],
    },
  ],
};
