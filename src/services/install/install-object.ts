import type { ObjectMeta, PolicyRule } from '../../api/core.ts';

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

/**
 * The same permissions in few rules that are easy to read: one verb list per resource, resources with the same verbs together.
 * Pure; the order does not depend on that of the input.
 */
export function mergeRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { apiGroups = [''], resources = [], resourceNames = [], verbs } of rules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        const key = JSON.stringify([group, resource, [...resourceNames].sort()]);
        const present = verbsOf.get(key) ?? new Set();
        for (const verb of verbs) present.add(verb);
        verbsOf.set(key, present);
      }
    }
  }
  const merged = new Map<string, PolicyRule & { resources: string[] }>();
  for (const key of [...verbsOf.keys()].sort()) {
    // Written by this function a few lines above.
    const [group, resource, names] = JSON.parse(key) as [string, string, string[]];
    const verbs = [...(verbsOf.get(key) ?? [])].sort();
    const id = JSON.stringify([group, verbs, names]);
    const present = merged.get(id);
    if (present !== undefined) present.resources.push(resource);
    else {
      const named = names.length === 0 ? {} : { resourceNames: names };
      merged.set(id, { apiGroups: [group], resources: [resource], ...named, verbs });
    }
  }
  return [...merged.values()];
}
