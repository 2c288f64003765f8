/** Service accounts, their tokens, RBAC and the review APIs. */
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

const RBAC = 'rbac.authorization.k8s.io/v1';
const ROLES = apis(RBAC, 'roles');
const BINDINGS = apis(RBAC, 'rolebindings');
const CLUSTER_ROLES = `/apis/${RBAC}/clusterroles`;
const CLUSTER_BINDINGS = `/apis/${RBAC}/clusterrolebindings`;
const ACCOUNTS = core('serviceaccounts');
const CM = core('configmaps');
const PODS = core('pods');
const SSAR = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const SAR = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

const JANE = { 'impersonate-user': 'jane' };
const SOMEBODY = { 'impersonate-user': 'somebody' };

function role(name: string, ...rules: object[]): object {
  return { apiVersion: RBAC, kind: 'Role', metadata: { name }, rules };
}

function bind(name: string, roleName: string, user: string, kind = 'Role'): object {
  return {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
}

/** Jane may do this in the scenario's namespace. */
function allow(...rules: object[]) {
  return [setup(post(ROLES, role('r', ...rules))), setup(post(BINDINGS, bind('b', 'r', 'jane')))];
}

const READ_PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };

function access(resourceAttributes: object): object {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
}

export const ACCOUNTS_THEME: Theme = {
  theme: 'accounts',
  scenarios: [
    {
      name: 'service-account-of-namespace',
      steps: [
        get(`${ACCOUNTS}/default`),
        remove(`${ACCOUNTS}/default`, undefined, { ignore: ['/body'] }),
        awaiting(`${ACCOUNTS}/default`),
      ],
    },
    {
      name: 'service-account-must-exist',
      steps: [
        post(
          PODS,
          pod('p', {
            spec: {
              serviceAccountName: 'nobody',
              automountServiceAccountToken: false,
              containers: [{ name: 'c', image: 'i' }],
            },
          }),
        ),
        setup(post(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'somebody' } })),
        post(
          PODS,
          pod('p', {
            spec: {
              serviceAccountName: 'somebody',
              automountServiceAccountToken: false,
              containers: [{ name: 'c', image: 'i' }],
            },
          }),
        ),
      ],
    },
    {
      name: 'service-account-gives-pull-secrets',
      steps: [
        setup(
          post(ACCOUNTS, {
            apiVersion: 'v1',
            kind: 'ServiceAccount',
            metadata: { name: 'puller' },
            imagePullSecrets: [{ name: 'reg' }],
            automountServiceAccountToken: false,
          }),
        ),
        post(PODS, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { serviceAccountName: 'puller', containers: [{ name: 'c', image: 'i' }] },
        }),
      ],
    },
    {
      name: 'service-account-token',
      steps: [
        setup(post(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot' } })),
        post(
          `${ACCOUNTS}/bot/token`,
          { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
          {
            capture: { token: '/status/token' },
            // The default audience is each server's own; that a token request bears its account's uid is of later versions.
            ignore: ['/body/spec/audiences', '/body/metadata'],
          },
        ),
        get(`${CM}`, { headers: { authorization: 'Bearer {token}' } }),
        setup(post(ROLES, role('r', { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }))),
        setup(
          post(BINDINGS, {
            ...bind('b', 'r', 'x'),
            subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: '{ns}' }],
          }),
        ),
        get(`${CM}?labelSelector=none`, { headers: { authorization: 'Bearer {token}' } }),
        post(SSAR, access({ namespace: '{ns}', verb: 'get', resource: 'configmaps' }), {
          headers: { authorization: 'Bearer {token}' },
        }),
      ],
    },
    {
      name: 'service-account-token-refused',
      steps: [
        post(`${ACCOUNTS}/none/token`, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {},
        }),
        post(`${ACCOUNTS}/default/token`, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds: 5 },
        }),
        post(`${ACCOUNTS}/default/token`, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'none' } },
        }),
        get(`${ACCOUNTS}/default/token`),
      ],
    },
    {
      name: 'token-review',
      steps: [
        setup(
          post(
            `${ACCOUNTS}/default/token`,
            { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
            { capture: { token: '/status/token' } },
          ),
        ),
        post(
          '/apis/authentication.k8s.io/v1/tokenreviews',
          { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: '{token}' } },
          {
            // Audiences are each server's own; extra credentials information is of later versions.
            ignore: ['/body/status/audiences', '/body/status/user/extra'],
          },
        ),
        post(
          '/apis/authentication.k8s.io/v1/tokenreviews',
          { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'nonsense' } },
          { ignore: ['/body/status/error'] },
        ),
      ],
    },
    {
      name: 'no-credentials',
      steps: [
        get(CM, { headers: { authorization: 'Bearer nonsense' } }),
        get(CM, { headers: { authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.AA' } }),
      ],
    },
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
    {
      name: 'impersonation-may-be-refused',
      steps: [
        get(CM, { headers: { 'impersonate-group': 'devs' } }),
        get(CM, { headers: { 'impersonate-extra-scope': 'x' } }),
        ...allow(READ_PODS),
        // Jane's own headers cannot ask for somebody else: the administrator impersonates, not she.
        get('/api/v1/namespaces/{ns}', { headers: JANE }),
      ],
    },
    {
      name: 'impersonation-of-masters',
      steps: [
        get(`${CM}?labelSelector=none`, { headers: { ...SOMEBODY, 'impersonate-group': 'system:masters' } }),
      ],
    },
    {
      name: 'impersonation-by-a-service-account',
      steps: [
        setup(post(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot' } })),
        setup(
          post(
            `${ACCOUNTS}/bot/token`,
            { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
            { capture: { token: '/status/token' } },
          ),
        ),
        get(CM, { headers: { authorization: 'Bearer {token}', ...JANE } }),
        get(CM, { headers: { authorization: 'Bearer {token}', ...JANE, 'impersonate-group': 'devs' } }),
        get(CM, {
          headers: {
            authorization: 'Bearer {token}',
            'impersonate-user': 'system:serviceaccount:{ns}:default',
          },
        }),
        setup(
          post(CLUSTER_ROLES, {
            apiVersion: RBAC,
            kind: 'ClusterRole',
            metadata: { name: 'c-impersonator' },
            rules: [
              { apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs: ['impersonate'] },
            ],
          }),
        ),
        setup(
          post(CLUSTER_BINDINGS, {
            apiVersion: RBAC,
            kind: 'ClusterRoleBinding',
            metadata: { name: 'c-impersonator' },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'c-impersonator' },
            subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: '{ns}' }],
          }),
        ),
        ...allow(READ_PODS),
        get(PODS, { headers: { authorization: 'Bearer {token}', ...JANE } }),
        get(PODS, { headers: { authorization: 'Bearer {token}', ...SOMEBODY } }),
      ],
    },
    {
      name: 'access-review-of-oneself',
      steps: [
        ...allow(READ_PODS),
        post(SSAR, access({ namespace: '{ns}', verb: 'list', resource: 'pods' }), { headers: JANE }),
        post(SSAR, access({ namespace: '{ns}', verb: 'delete', resource: 'pods' }), { headers: JANE }),
        post(SSAR, access({ verb: 'list', resource: 'pods' }), { headers: JANE }),
        post(
          SSAR,
          access({ namespace: '{ns}', verb: 'get', resource: 'pods', subresource: 'log', name: 'p' }),
          { headers: JANE },
        ),
        post(SSAR, access({ namespace: '{ns}', verb: '*', resource: '*', group: '*' })),
        post(
          SSAR,
          {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectAccessReview',
            spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } },
          },
          { headers: JANE, ignore: ['/body/status/reason'] },
        ),
      ],
    },
    {
      name: 'access-review-invalid',
      steps: [
        post(SSAR, { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: {} }),
        post(SSAR, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/' } },
        }),
        post(SAR, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
        }),
        get(SSAR),
      ],
    },
    {
      name: 'access-review-of-others',
      steps: [
        ...allow(READ_PODS),
        post(SAR, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: 'jane', resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } },
        }),
        post(SAR, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: 'jim',
            groups: ['devs'],
            resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' },
          },
        }),
        post('/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews', {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'LocalSubjectAccessReview',
          metadata: { namespace: '{ns}' },
          spec: { user: 'jane', resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } },
        }),
        post(
          SAR,
          {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SubjectAccessReview',
            spec: { user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods' } },
          },
          { headers: JANE },
        ),
      ],
    },
    {
      name: 'impersonation-of-nobody',
      steps: [
        get(`${CM}`, { headers: { 'impersonate-user': 'system:anonymous' } }),
        post(SSAR, access({ namespace: '{ns}', verb: 'list', resource: 'pods' }), {
          headers: { 'impersonate-user': 'system:anonymous' },
        }),
      ],
    },
    {
      name: 'rules-review',
      steps: [
        setup(
          post(
            ROLES,
            role('r', READ_PODS, {
              apiGroups: ['apps'],
              resources: ['deployments'],
              resourceNames: ['d'],
              verbs: ['get'],
            }),
          ),
        ),
        setup(post(BINDINGS, bind('b', 'r', 'system:anonymous'))),
        setup(
          post(CLUSTER_ROLES, {
            apiVersion: RBAC,
            kind: 'ClusterRole',
            metadata: { name: 'c-rules-review' },
            rules: [
              {
                apiGroups: ['authorization.k8s.io'],
                resources: ['selfsubjectrulesreviews'],
                verbs: ['create'],
              },
            ],
          }),
        ),
        setup(
          post(CLUSTER_BINDINGS, {
            ...bind('c-rules-review', 'c-rules-review', 'system:anonymous', 'ClusterRole'),
            kind: 'ClusterRoleBinding',
          }),
        ),
        // Whoever is authenticated has further rules, which differ between versions.
        post(
          '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
          {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectRulesReview',
            spec: { namespace: '{ns}' },
          },
          {
            headers: { 'impersonate-user': 'system:anonymous' },
            ignore: ['/body/status/nonResourceRules'],
          },
        ),
      ],
    },
  ],
};

export const EVENTS: Theme = {
  theme: 'events',
  scenarios: [
    {
      name: 'event-checks-its-namespace',
      steps: [
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
          involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
        }),
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
          involvedObject: { kind: 'Pod', name: 'p' },
        }),
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
          involvedObject: { kind: 'Node', name: 'n' },
        }),
        post('/api/v1/namespaces/default/events', {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'c-event-of-node' },
          involvedObject: { kind: 'Node', name: 'n' },
        }),
      ],
    },
    {
      name: 'event-series',
      steps: [
        post(core('events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e.1' },
          involvedObject: {
            apiVersion: 'v1',
            kind: 'Pod',
            name: 'p',
            namespace: '{ns}',
            uid: 'u',
            fieldPath: 'spec.containers{c}',
          },
          reason: 'Pulled',
          message: 'pulled',
          type: 'Normal',
          eventTime: '2020-01-02T03:04:05.123456Z',
          reportingComponent: 'example.com/tester',
          reportingInstance: 'tester-1',
          action: 'Pulling',
        }),
        patch('strategic', core('events', 'e.1'), { count: 2, lastTimestamp: '2020-01-02T03:05:05Z' }),
        patch('merge', core('events', 'e.1'), {
          series: { count: 3, lastObservedTime: '2020-01-02T03:05:05.000001Z' },
        }),
      ],
    },
    {
      name: 'event-field-selectors',
      steps: [
        setup(
          post(core('events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'a' },
            involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}', uid: 'u1' },
            reason: 'Killing',
            type: 'Normal',
            source: { component: 'kubelet' },
          }),
        ),
        setup(
          post(core('events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'b' },
            involvedObject: { kind: 'Deployment', name: 'd', namespace: '{ns}', uid: 'u2' },
            reason: 'Failed',
            type: 'Warning',
          }),
        ),
        get(`${core('events')}?fieldSelector=involvedObject.name%3Dp`),
        get(`${core('events')}?fieldSelector=involvedObject.kind%3DDeployment,involvedObject.uid%3Du2`),
        get(`${core('events')}?fieldSelector=type%3DWarning`),
        get(`${core('events')}?fieldSelector=reason!%3DKilling`),
        get(`${core('events')}?fieldSelector=source%3Dkubelet`),
        get(`${core('events')}?fieldSelector=involvedObject.namespace%3D{ns},involvedObject.apiVersion%3Dv1`),
        get(`${core('events')}?fieldSelector=message%3Dx`),
      ],
    },
    {
      name: 'event-update-creates',
      steps: [
        put(core('events', 'new'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'new' },
          involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
        }),
      ],
    },
    {
      name: 'event-of-the-events-group',
      steps: [
        setup(
          post(core('events'), {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'a' },
            involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
            reason: 'Killing',
            type: 'Normal',
            message: 'm',
            source: { component: 'kubelet', host: 'h' },
            count: 2,
          }),
        ),
        get(apis('events.k8s.io/v1', 'events', 'a')),
        get(apis('events.k8s.io/v1', 'events')),
        post(apis('events.k8s.io/v1', 'events'), {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: 'b' },
          regarding: { kind: 'Pod', name: 'p', namespace: '{ns}' },
          reason: 'R',
          action: 'A',
          type: 'Normal',
          note: 'n',
          eventTime: '2020-01-02T03:04:05.000001Z',
          reportingController: 'example.com/c',
          reportingInstance: 'i',
        }),
        get(core('events', 'b')),
      ],
    },
  ],
};
