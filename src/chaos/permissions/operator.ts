import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { HALT_NAME } from '../halt.ts';

/**
 * What the operator may do in the namespaces it watches, and nothing else. A change that adds a request to the operator adds it
 * here: `turnsole install` and the Helm chart make roles of this list, and their tests run with them.
 */
export const OPERATOR_PERMISSIONS: readonly PolicyRule[] = [
  // Schedules make and remove engines; recovery and aborts write their state.
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosengines'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'],
  },
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosschedules', 'chaosresults'],
    verbs: ['get', 'list', 'watch', 'patch', 'update'],
  },
  // historyLimit of a schedule: the results go with their engines.
  { apiGroups: ['litmuschaos.io'], resources: ['chaosresults'], verbs: ['delete'] },
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosengines/status', 'chaosschedules/status', 'chaosresults/status'],
    verbs: ['patch', 'update'],
  },
  // Owner references that block the owner's deletion are refused without this, where that admission plugin is on.
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosengines/finalizers', 'chaosschedules/finalizers'],
    verbs: ['update'],
  },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosexperiments'], verbs: ['get', 'list'] },
  {
    apiGroups: [''],
    resources: ['pods'],
    verbs: ['get', 'list', 'watch', 'create', 'delete', 'deletecollection'],
  },
  {
    apiGroups: ['batch'],
    resources: ['jobs'],
    verbs: ['get', 'list', 'watch', 'create', 'delete', 'deletecollection'],
  },
  // Of engines with spec.monitoring.
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: [''], resources: ['events'], verbs: ['get', 'list', 'create', 'patch'] },
];

/** How the operator sees the safety lever: in the namespaces it watches, and always in that of the whole cluster's lever. */
export const OPERATOR_HALT_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [HALT_NAME],
    verbs: ['get', 'list', 'watch'],
  },
];

/** What the operator may do in its own namespace: the lease by which one of several leads. */
export const OPERATOR_OWN_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
  },
];
