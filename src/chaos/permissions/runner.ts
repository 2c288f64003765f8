import type { PolicyRule } from '@turnsole/kube/kinds/core';

/**
 * What a runner does in the namespace of its engine. It runs under the engine's own service account, which needs this beside
 * what its experiments need. A change that adds a request to the runner adds it here.
 */
export const RUNNER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get', 'patch'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosexperiments'], verbs: ['get'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosresults'], verbs: ['get', 'patch'] },
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosengines/status', 'chaosresults/status'],
    verbs: ['patch'],
  },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list', 'create', 'delete'] },
  // Watching spares the requests of asking again and again. Helpers of an experiment that died are deleted with the right by which
  // the fault makes them; without it they are waited for.
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['get', 'list', 'create', 'patch'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create'] },
];

/** The permissions without which no run gets anywhere: the rest is for status subresources, or saves requests. */
export const RUNNER_NEEDS: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get', 'patch'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosexperiments', 'chaosresults'], verbs: ['get'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'create'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
];
