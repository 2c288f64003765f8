import type { PolicyRule } from '../../api/core.ts';

/**
 * What the exporter of an engine reads in the engine's namespace. It runs under the engine's own service account. Whoever adds a
 * request to the exporter adds it here.
 */
export const EXPORTER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosresults'], verbs: ['list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
];
