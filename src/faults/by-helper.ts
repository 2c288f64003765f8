/** What faults by helpers share: the rights of their accounts, and the helpers' requirements to a node. */

import type { PolicyRule } from '@turnsole/kube/kinds/core';
import type { FaultNeeds, HelperNeeds } from '../experiment/injection/fault.ts';

/** To choose pods, start helpers, follow them and read their logs. */
export const HELPER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'create', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];

/** To find the workload of a pod, where the targets are pods. */
const OWNER_RULES: readonly PolicyRule[] = [
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
];

/** All of it, for faults of pods and their containers. */
export const POD_HELPER_RULES: readonly PolicyRule[] = [...HELPER_RULES, ...OWNER_RULES];

/**
 * A helper that enters the namespaces of other containers: that takes more than capabilities where AppArmor or SELinux keep
 * them apart.
 */
export const ENTERING_HELPER = {
  hostPID: true,
  securityContext: { privileged: true, runAsUser: 0 },
} as const satisfies HelperNeeds;

/** What changing the network of a pod takes, besides programs. */
export const POD_NETWORK_NEEDS = {
  capabilities: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_PTRACE'],
  isolatedPods: true,
} as const satisfies FaultNeeds;
