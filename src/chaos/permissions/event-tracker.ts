import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../api/agent-objects.ts';

/**
 * What the event tracker may do where it watches workloads. A change that adds a request adds it here: `turnsole install` and the Helm
 * chart make roles of these lists.
 */
export const EVENT_TRACKER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['list', 'watch'] },
];

/** What it may do in its own namespace: policies, the configuration of the infrastructure, what policies start, its lease. */
export const EVENT_TRACKER_OWN_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: ['eventtracker.litmuschaos.io'],
    resources: ['eventtrackerpolicies'],
    verbs: ['get', 'list', 'watch', 'update'],
  },
  {
    apiGroups: ['eventtracker.litmuschaos.io'],
    resources: ['eventtrackerpolicies/status'],
    verbs: ['update'],
  },
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [AGENT_CONFIG_MAP], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [AGENT_SECRET], verbs: ['get'] },
  { apiGroups: ['argoproj.io'], resources: ['workflowtemplates'], verbs: ['get'] },
  { apiGroups: ['argoproj.io'], resources: ['workflows'], verbs: ['get', 'create'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosschedules'], verbs: ['get'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get', 'create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
  },
];
