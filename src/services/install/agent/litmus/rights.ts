import type { PolicyRule } from '@turnsole/kube/kinds/core';

const READ = ['get', 'list', 'watch'];
const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function rule(group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources: [...resources], verbs: [...verbs] };
}

/** What LitmusChaos' components do where chaos is: run workflows and engines, show targets, report results. */
export const INFRA_RULES: readonly PolicyRule[] = [
  rule('apps', ['deployments', 'replicasets', 'daemonsets', 'statefulsets'], READ),
  // The server asks the agent to remove itself by a label.
  rule('apps', ['deployments'], ['delete', 'deletecollection']),
  rule(
    'batch',
    ['jobs'],
    ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete', 'deletecollection'],
  ),
  rule('', ['pods'], ALL),
  rule('', ['pods/log'], READ),
  rule('', ['pods/exec'], ['get', 'list', 'create']),
  rule('', ['events', 'services'], ['get', 'list', 'watch', 'create', 'update', 'patch']),
  rule('', ['serviceaccounts', 'replicationcontrollers'], READ),
  rule('', ['persistentvolumeclaims'], ['create', 'delete']),
  rule('policy', ['poddisruptionbudgets'], ['create', 'get', 'delete']),
  rule('litmuschaos.io', ['chaosengines', 'chaosexperiments', 'chaosresults', 'chaosschedules'], ALL),
  rule(
    'litmuschaos.io',
    ['chaosengines/finalizers', 'chaosengines/status', 'chaosresults/status'],
    ['update', 'patch'],
  ),
  rule('coordination.k8s.io', ['leases'], ALL),
  rule('apps.openshift.io', ['deploymentconfigs'], ['get', 'list']),
  rule(
    'argoproj.io',
    [
      ...['workflows', 'workflows/finalizers', 'cronworkflows', 'cronworkflows/finalizers'],
      ...['workflowtemplates', 'workflowtemplates/finalizers', 'rollouts'],
    ],
    ALL,
  ),
  rule('argoproj.io', ['workflowtasksets', 'workflowartifactgctasks'], READ),
  rule('argoproj.io', ['workflowtaskresults'], ['list', 'watch', 'create', 'patch', 'deletecollection']),
  rule('eventtracker.litmuschaos.io', ['eventtrackerpolicies'], ALL),
  rule('eventtracker.litmuschaos.io', ['eventtrackerpolicies/status'], ['get', 'patch', 'update']),
];

/** What of it belongs to no namespace. */
export const CLUSTER_INFRA_RULES: readonly PolicyRule[] = [
  rule('', ['namespaces', 'nodes'], READ),
  rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['list', 'get']),
  rule('argoproj.io', ['clusterworkflowtemplates', 'clusterworkflowtemplates/finalizers'], READ),
];

/** What they do in the namespace of the infrastructure: read its settings, its key. */
export const OWN_RULES: readonly PolicyRule[] = [
  rule('', ['secrets'], ['get', 'create', 'update', 'patch']),
  rule('', ['configmaps'], ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
];

/** What LitmusChaos' faults do. */
export const CHAOS_RULES: readonly PolicyRule[] = [
  rule('', ['pods'], ALL),
  rule('', ['events'], ['get', 'list', 'create', 'update', 'patch']),
  rule('', ['pods/log'], READ),
  rule('', ['pods/exec', 'pods/eviction'], ['get', 'list', 'create']),
  rule('', ['replicationcontrollers', 'services', 'configmaps'], READ),
  rule('batch', ['jobs'], ['get', 'list', 'create', 'delete', 'deletecollection']),
  rule('apps', ['deployments', 'statefulsets'], ['get', 'list', 'watch', 'patch', 'update']),
  rule('apps', ['replicasets', 'daemonsets'], READ),
  rule('apps.openshift.io', ['deploymentconfigs'], ['get', 'list']),
  rule('argoproj.io', ['rollouts'], ['get', 'list']),
  rule('networking.k8s.io', ['networkpolicies'], ['create', 'delete', 'get', 'list']),
  rule('litmuschaos.io', ['chaosengines', 'chaosexperiments', 'chaosresults'], ALL),
  rule('litmuschaos.io', ['chaosengines/status', 'chaosresults/status'], ['update', 'patch']),
];

/** What of it belongs to no namespace. */
export const CLUSTER_CHAOS_RULES: readonly PolicyRule[] = [
  rule('', ['nodes'], ['get', 'list', 'patch', 'update']),
];
