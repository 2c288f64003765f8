/** Roles, bindings and users that several themes about access begin with. */
import { apis, post, setup } from './steps.ts';

export const RBAC = 'rbac.authorization.k8s.io/v1';
export const ROLES = apis(RBAC, 'roles');
export const BINDINGS = apis(RBAC, 'rolebindings');
export const CLUSTER_ROLES = `/apis/${RBAC}/clusterroles`;
export const CLUSTER_BINDINGS = `/apis/${RBAC}/clusterrolebindings`;

/** Headers of requests as these users. */
export const JANE = { 'impersonate-user': 'jane' };
export const SOMEBODY = { 'impersonate-user': 'somebody' };

/** A Role with these rules. */
export function role(name: string, ...rules: object[]): object {
  return { apiVersion: RBAC, kind: 'Role', metadata: { name }, rules };
}

/** A RoleBinding of a role to a user. */
export function bind(name: string, roleName: string, user: string, kind = 'Role'): object {
  return {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
}

/** Jane may do this in the scenario's namespace. */
export function allow(...rules: object[]) {
  return [setup(post(ROLES, role('r', ...rules))), setup(post(BINDINGS, bind('b', 'r', 'jane')))];
}

/** A rule of {@link allow}. */
export const READ_PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };
