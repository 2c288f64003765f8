import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { AGENT_CONFIG_MAP, AGENT_SECRET, SUBSCRIBER_LEASE } from '../../api/agent-objects.ts';
import { HALT_NAME } from '../halt.ts';

/**
 * What the subscriber may do where the runs of its infrastructure are. A change that adds a request adds it here: `turnsole install` and
 * the Helm chart make roles of these lists. `ALLOWED_KINDS` and `ALLOWED_NAMESPACES` can only take away from it; an administrator who
 * allows more there grants the rights for it as well.
 */
export const SUBSCRIBER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: ['argoproj.io'], resources: ['workflows'], verbs: ['list', 'watch'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['get', 'list', 'watch'] },
  // A halt reads from lists what it has reverted.
  { apiGroups: ['litmuschaos.io'], resources: ['chaosresults'], verbs: ['get', 'list', 'watch'] },
  // Targets that people choose from.
  { apiGroups: [''], resources: ['pods', 'services'], verbs: ['list'] },
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['list'] },
  { apiGroups: ['apps.openshift.io'], resources: ['deploymentconfigs'], verbs: ['list'] },
  { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['list'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] },
  // A plan reads: the workload of a pod, what a workload lacks, what would undo a fault, whether accounts and faults exist.
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  { apiGroups: [''], resources: ['replicationcontrollers'], verbs: ['list'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: ['list'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosexperiments'], verbs: ['get'] },
];

/** What it may do in the whole cluster, where its scope is the cluster. */
export const SUBSCRIBER_CLUSTER_PERMISSIONS: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list'] },
  // A plan reads: shares of nodes, and the rights of the engines' accounts.
  { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/** The safety lever, in the namespace where it counts for all that the infrastructure reaches. */
export const SUBSCRIBER_HALT_PERMISSIONS: readonly PolicyRule[] = [
  // An object that is yet to be created has no name that a rule could hold.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [HALT_NAME], verbs: ['patch', 'delete'] },
];

/** The verbs for changes that a server makes by manifests. */
const BY_MANIFEST = ['get', 'create', 'update', 'delete', 'deletecollection'] as const;

/** In the namespace of its infrastructure: changes by manifests, logs, registration, lease, removal of itself. */
export const SUBSCRIBER_OWN_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: ['argoproj.io'],
    resources: ['workflows', 'cronworkflows', 'workflowtemplates'],
    verbs: [...BY_MANIFEST],
  },
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosengines', 'chaosexperiments', 'chaosresults', 'chaosschedules'],
    verbs: [...BY_MANIFEST],
  },
  // Stops.
  { apiGroups: ['argoproj.io'], resources: ['workflows'], verbs: ['patch'] },
  { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [AGENT_CONFIG_MAP],
    verbs: ['get', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [AGENT_SECRET], verbs: ['get', 'patch'] },
  // An object that is yet to be created has no name that a rule could hold.
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [SUBSCRIBER_LEASE],
    verbs: ['get', 'watch', 'update'],
  },
  // The server removes the agent by the label of its Deployment; names cannot limit that.
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['deletecollection'] },
];
