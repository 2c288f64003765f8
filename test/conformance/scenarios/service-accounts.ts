/** Service accounts, their tokens, and requests without credentials. */
import type { Theme } from '../harness/scenario.ts';
import { apis, awaiting, core, get, pod, post, remove, setup } from '../harness/steps.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const ROLES = apis(RBAC, 'roles');
const BINDINGS = apis(RBAC, 'rolebindings');
const ACCOUNTS = core('serviceaccounts');
const CM = core('configmaps');
const PODS = core('pods');
const SSAR = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

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

function access(resourceAttributes: object): object {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
}

export const SERVICE_ACCOUNTS: Theme = {
  theme: 'service-accounts',
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
  ],
};
