import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { HALT_NAME } from '../halt.ts';

/**
 * What the exporter of an engine reads in the engine's namespace, under the engine's own service account. A change that adds a
 * request to the exporter adds it here.
 */
export const EXPORTER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosresults'], verbs: ['list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
];

/** What the exporter of a namespace or a cluster follows there, under an account of its own. */
export const SCOPE_EXPORTER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines', 'chaosresults'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch'] },
];

/** How it sees the safety lever: in the namespaces it watches, and always in that of the whole cluster's lever. */
export const EXPORTER_HALT_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [HALT_NAME], verbs: ['list', 'watch'] },
];
