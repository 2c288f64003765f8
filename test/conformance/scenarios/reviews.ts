/** Impersonation, and the reviews that tell what somebody may do. */
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
import { core, get, post, setup } from '../harness/steps.ts';

const ACCOUNTS = core('serviceaccounts');
const CM = core('configmaps');
const PODS = core('pods');
const SSAR = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const SAR = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

function access(resourceAttributes: object): object {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
}

export const REVIEWS: Theme = {
  theme: 'reviews',
  scenarios: [
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
