import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { boundRole, type InstallObject, roleBinding, serviceAccount } from '../../install-object.ts';
import type { Registration } from '../registration.ts';
import { CHAOS_RULES, CLUSTER_CHAOS_RULES, CLUSTER_INFRA_RULES, INFRA_RULES, OWN_RULES } from './rights.ts';

/** The account of workflow pods, and that of engines. */
const STEPS_ACCOUNT = 'argo-chaos';
const ENGINES_ACCOUNT = 'litmus-admin';

const LABELS = { 'app.kubernetes.io/part-of': 'litmus' };

/** Accounts and roles of LitmusChaos' components; their names are what its documents and workflows name. Pure. */
export function litmusAccess(registration: Registration): InstallObject[] {
  const { namespace, scope, serviceAccount: account, serviceAccountExists } = registration;
  const isCluster = scope === 'cluster';
  const [infra, admin] = isCluster
    ? ['infra-cluster-role', 'litmus-admin-cluster-role']
    : ['infra-role', 'litmus-admin-role'];
  const where = isCluster ? undefined : namespace;
  const ofCluster = (rules: readonly PolicyRule[]): readonly PolicyRule[] => (isCluster ? rules : []);
  return [
    ...(serviceAccountExists ? [] : [serviceAccount(account, namespace, LABELS, [])]),
    serviceAccount(STEPS_ACCOUNT, namespace, LABELS, []),
    serviceAccount(ENGINES_ACCOUNT, namespace, LABELS, []),
    ...granted(infra, where, [...INFRA_RULES, ...ofCluster(CLUSTER_INFRA_RULES)], [account, STEPS_ACCOUNT]),
    ...granted('infra-ops-role', namespace, OWN_RULES, [account, STEPS_ACCOUNT]),
    ...granted(admin, where, [...CHAOS_RULES, ...ofCluster(CLUSTER_CHAOS_RULES)], [ENGINES_ACCOUNT]),
    ...granted('litmus-admin-ops-role', namespace, OWN_RULES, [ENGINES_ACCOUNT]),
  ];

  /** One role, bound to several accounts of the namespace. */
  function granted(
    name: string,
    place: string | undefined,
    rules: readonly PolicyRule[],
    [first = '', ...others]: readonly string[],
  ): InstallObject[] {
    const bound = boundRole(name, place, LABELS, rules, { name: first, namespace });
    const further = others.map((other) =>
      roleBinding(name, place, LABELS, { name: other, namespace }, `${other}-${name}-binding`),
    );
    return [...bound, ...further];
  }
}
