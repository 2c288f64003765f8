import type { ObjectMeta, PolicyRule } from '@turnsole/kube/kinds/core';
import { mergeRules } from './merge-rules.ts';

/** An object as it is applied. */
export interface InstallObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

const RBAC = 'rbac.authorization.k8s.io';

/** A Role, or without a namespace a ClusterRole. Pure. */
export function role(
  name: string,
  namespace: string | undefined,
  labels: Readonly<Record<string, string>>,
  rules: readonly PolicyRule[],
): InstallObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, namespace, labels: { ...labels } },
    rules: mergeRules(rules),
  };
}

/**
 * Binds a role, a ClusterRole without a namespace, to a service account. Pure.
 *
 * @param name of the binding; that of the role is for the first account
 */
export function roleBinding(
  role: string,
  namespace: string | undefined,
  labels: Readonly<Record<string, string>>,
  account: { readonly name: string; readonly namespace: string },
  name = role,
): InstallObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, namespace, labels: { ...labels } },
    roleRef: { apiGroup: RBAC, kind: namespace === undefined ? 'ClusterRole' : 'Role', name: role },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
}

/** A role together with its binding to the one service account that needs it. Pure. */
export function boundRole(
  name: string,
  namespace: string | undefined,
  labels: Readonly<Record<string, string>>,
  rules: readonly PolicyRule[],
  account: { readonly name: string; readonly namespace: string },
): InstallObject[] {
  return [role(name, namespace, labels, rules), roleBinding(name, namespace, labels, account)];
}

/** A service account; `pullSecrets` go into the pods that use it. Pure. */
export function serviceAccount(
  name: string,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  pullSecrets: readonly string[],
): InstallObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace, labels: { ...labels } },
    ...(pullSecrets.length === 0
      ? {}
      : { imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })) }),
  };
}
