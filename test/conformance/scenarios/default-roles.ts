/** What the roles allow that every cluster has. */
import type { Scenario, Theme } from '../harness/scenario.ts';
import { apis, post, setup } from '../harness/steps.ts';

const SAR = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const RBAC = 'rbac.authorization.k8s.io';

/** What is asked of each default role: verb, resource, group, subresource; what versions agree on. */
const QUESTIONS: readonly (readonly [string, string, string?, string?])[] = [
  ['get', 'pods'],
  ['delete', 'pods'],
  ['deletecollection', 'pods'],
  ['create', 'pods', '', 'exec'],
  ['get', 'pods', '', 'log'],
  ['get', 'secrets'],
  ['update', 'configmaps'],
  ['watch', 'events'],
  ['patch', 'deployments', 'apps'],
  ['update', 'deployments', 'apps', 'scale'],
  ['update', 'deployments', 'apps', 'status'],
  ['create', 'jobs', 'batch'],
  ['create', 'cronjobs', 'batch'],
  ['create', 'poddisruptionbudgets', 'policy'],
  ['create', 'networkpolicies', 'networking.k8s.io'],
  ['create', 'ingresses', 'networking.k8s.io'],
  ['create', 'roles', RBAC],
  ['create', 'rolebindings', RBAC],
  ['impersonate', 'serviceaccounts'],
  ['create', 'serviceaccounts'],
  ['create', 'resourcequotas'],
  ['get', 'resourcequotas'],
  ['get', 'namespaces'],
  ['delete', 'namespaces'],
  ['create', 'persistentvolumeclaims'],
  ['get', 'nodes'],
  ['get', 'customresourcedefinitions', 'apiextensions.k8s.io'],
];

function defaultRole(role: string): Scenario {
  const user = `user-of-${role}`;
  return {
    name: `default-role-${role}`,
    steps: [
      setup(
        post(apis(`${RBAC}/v1`, 'rolebindings'), {
          apiVersion: `${RBAC}/v1`,
          kind: 'RoleBinding',
          metadata: { name: 'b' },
          roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
          subjects: [{ kind: 'User', name: user }],
        }),
      ),
      ...QUESTIONS.map(([verb, resource, group = '', subresource = '']) =>
        post(SAR, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user, resourceAttributes: { namespace: '{ns}', verb, resource, group, subresource } },
        }),
      ),
    ],
  };
}

export const DEFAULT_ROLES: Theme = {
  theme: 'default-roles',
  scenarios: [...['view', 'edit', 'admin', 'cluster-admin'].map(defaultRole)],
};
