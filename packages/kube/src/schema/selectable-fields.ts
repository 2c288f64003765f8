/**
 * The fields that field selectors of built-in resources may use, beside metadata.name and metadata.namespace, by `group/resource`. A server
 * refuses others. Source: the field label conversions of Kubernetes' API groups; the embedded API server offers the same.
 */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  '/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  '/nodes': ['spec.unschedulable'],
  '/namespaces': ['status.phase'],
  '/services': ['spec.clusterIP', 'spec.type'],
  '/secrets': ['type'],
  '/configmaps': [],
  '/endpoints': [],
  '/persistentvolumeclaims': [],
  '/persistentvolumes': [],
  '/serviceaccounts': [],
  'apps/deployments': [],
  'apps/statefulsets': [],
  'apps/daemonsets': [],
  'batch/jobs': ['status.successful'],
  'batch/cronjobs': [],
  'autoscaling/horizontalpodautoscalers': [],
  'networking.k8s.io/ingresses': [],
  'networking.k8s.io/networkpolicies': [],
  'policy/poddisruptionbudgets': [],
};

/** The fields that selectors of a resource may use; undefined for a resource that is not known here. */
export function selectableFields(group: string, resource: string): readonly string[] | undefined {
  const key = `${group}/${resource}`;
  if (!Object.hasOwn(SELECTABLE, key)) return undefined;
  return ['metadata.name', 'metadata.namespace', ...(SELECTABLE[key] ?? [])];
}
