import type { PolicyRule } from '@turnsole/kube/kinds/core';

/**
 * What the workflow controller may do in the namespaces it watches, and nothing else. A change that adds a request to the controller adds it
 * here: `turnsole install` and the Helm chart make roles of this list.
 */
export const WORKFLOW_CONTROLLER_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: ['argoproj.io'],
    resources: ['workflows'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  // They start workflows, and their status is written with them.
  {
    apiGroups: ['argoproj.io'],
    resources: ['cronworkflows'],
    verbs: ['get', 'list', 'watch', 'update', 'patch'],
  },
  // Owner references that block the owner's deletion are refused without this, where that admission plugin is on.
  {
    apiGroups: ['argoproj.io'],
    resources: ['workflows/finalizers', 'cronworkflows/finalizers'],
    verbs: ['update'],
  },
  {
    apiGroups: ['argoproj.io'],
    resources: ['workflowtemplates', 'workflowtaskresults'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  // What nodes report stands in the log of the helper beside them.
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  // Files of pods, values of parameters, limits of semaphores, caches.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  // Of volumeClaimTemplates and podDisruptionBudget: made before the first pod, and taken away at the end.
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: [''], resources: ['events'], verbs: ['get', 'list', 'create', 'patch'] },
];

/** What it may do in the whole cluster, where granted: without it, cluster templates do not exist for it. */
export const WORKFLOW_CONTROLLER_CLUSTER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['argoproj.io'], resources: ['clusterworkflowtemplates'], verbs: ['get', 'list', 'watch'] },
  // A label of a namespace limits how many of its workflows run at the same time.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
];

/** What it may do in its own namespace: the lease for leader election, its configuration and caches. */
export const WORKFLOW_CONTROLLER_OWN_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
  },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
];
