/**
 * A served resource: everything a client needs to build its URL and everything an event or owner reference
 * needs to name its kind. (API conventions: group, version, plural resource name, kind, scope.)
 */
export interface Resource {
  /** API group; `''` is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural lower-case name used in URLs. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** A document of discovery (meta/v1 APIResourceList), as far as it is needed. */
export interface ApiResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs?: readonly string[];
  }[];
}

/** `apiVersion` text of a resource: `v1` for the core group, else `group/version`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

function resource(apiVersion: string, plural: string, kind: string, namespaced: boolean): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return Object.freeze({ group, version, plural, kind, namespaced });
}

function namespaced(apiVersion: string, plural: string, kind: string): Resource {
  return resource(apiVersion, plural, kind, true);
}

function clusterScoped(apiVersion: string, plural: string, kind: string): Resource {
  return resource(apiVersion, plural, kind, false);
}

const LITMUS = 'litmuschaos.io/v1alpha1';

export const CHAOS_ENGINES = namespaced(LITMUS, 'chaosengines', 'ChaosEngine');
export const CHAOS_EXPERIMENTS = namespaced(LITMUS, 'chaosexperiments', 'ChaosExperiment');
export const CHAOS_RESULTS = namespaced(LITMUS, 'chaosresults', 'ChaosResult');
export const CHAOS_SCHEDULES = namespaced(LITMUS, 'chaosschedules', 'ChaosSchedule');

export const EVENT_TRACKER_POLICIES = namespaced(
  'eventtracker.litmuschaos.io/v1',
  'eventtrackerpolicies',
  'EventTrackerPolicy',
);

const ARGO = 'argoproj.io/v1alpha1';

export const WORKFLOWS = namespaced(ARGO, 'workflows', 'Workflow');
export const WORKFLOW_TEMPLATES = namespaced(ARGO, 'workflowtemplates', 'WorkflowTemplate');
export const CLUSTER_WORKFLOW_TEMPLATES = clusterScoped(
  ARGO,
  'clusterworkflowtemplates',
  'ClusterWorkflowTemplate',
);
export const CRON_WORKFLOWS = namespaced(ARGO, 'cronworkflows', 'CronWorkflow');
export const WORKFLOW_TASK_SETS = namespaced(ARGO, 'workflowtasksets', 'WorkflowTaskSet');
export const WORKFLOW_TASK_RESULTS = namespaced(ARGO, 'workflowtaskresults', 'WorkflowTaskResult');
export const WORKFLOW_ARTIFACT_GC_TASKS = namespaced(
  ARGO,
  'workflowartifactgctasks',
  'WorkflowArtifactGCTask',
);
export const WORKFLOW_EVENT_BINDINGS = namespaced(ARGO, 'workfloweventbindings', 'WorkflowEventBinding');

export const NAMESPACES = clusterScoped('v1', 'namespaces', 'Namespace');
export const NODES = clusterScoped('v1', 'nodes', 'Node');
export const PODS = namespaced('v1', 'pods', 'Pod');
export const SERVICES = namespaced('v1', 'services', 'Service');
export const ENDPOINTS = namespaced('v1', 'endpoints', 'Endpoints');
export const CONFIG_MAPS = namespaced('v1', 'configmaps', 'ConfigMap');
export const SECRETS = namespaced('v1', 'secrets', 'Secret');
export const SERVICE_ACCOUNTS = namespaced('v1', 'serviceaccounts', 'ServiceAccount');
export const EVENTS = namespaced('v1', 'events', 'Event');
export const PERSISTENT_VOLUME_CLAIMS = namespaced('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim');
export const REPLICATION_CONTROLLERS = namespaced('v1', 'replicationcontrollers', 'ReplicationController');
export const RESOURCE_QUOTAS = namespaced('v1', 'resourcequotas', 'ResourceQuota');

export const INGRESSES = namespaced('networking.k8s.io/v1', 'ingresses', 'Ingress');

export const DEPLOYMENTS = namespaced('apps/v1', 'deployments', 'Deployment');
export const REPLICA_SETS = namespaced('apps/v1', 'replicasets', 'ReplicaSet');
export const STATEFUL_SETS = namespaced('apps/v1', 'statefulsets', 'StatefulSet');
export const DAEMON_SETS = namespaced('apps/v1', 'daemonsets', 'DaemonSet');
export const CONTROLLER_REVISIONS = namespaced('apps/v1', 'controllerrevisions', 'ControllerRevision');

export const HORIZONTAL_POD_AUTOSCALERS = namespaced(
  'autoscaling/v2',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
);
/** What pods use, measured when asked for. */
export const POD_METRICS = namespaced('metrics.k8s.io/v1beta1', 'pods', 'PodMetrics');

export const JOBS = namespaced('batch/v1', 'jobs', 'Job');
export const CRON_JOBS = namespaced('batch/v1', 'cronjobs', 'CronJob');
export const LEASES = namespaced('coordination.k8s.io/v1', 'leases', 'Lease');
export const ENDPOINT_SLICES = namespaced('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice');
export const POD_DISRUPTION_BUDGETS = namespaced('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget');
export const NETWORK_POLICIES = namespaced('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy');

export const ROLES = namespaced('rbac.authorization.k8s.io/v1', 'roles', 'Role');
export const ROLE_BINDINGS = namespaced('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding');
export const CLUSTER_ROLES = clusterScoped('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole');
export const CLUSTER_ROLE_BINDINGS = clusterScoped(
  'rbac.authorization.k8s.io/v1',
  'clusterrolebindings',
  'ClusterRoleBinding',
);

export const SELF_SUBJECT_ACCESS_REVIEWS = clusterScoped(
  'authorization.k8s.io/v1',
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
);
export const SUBJECT_ACCESS_REVIEWS = clusterScoped(
  'authorization.k8s.io/v1',
  'subjectaccessreviews',
  'SubjectAccessReview',
);
export const CUSTOM_RESOURCE_DEFINITIONS = clusterScoped(
  'apiextensions.k8s.io/v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  'admissionregistration.k8s.io/v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
);

/** Workloads of other platforms that upstream resolves owners to; they exist only where their CRDs do. */
export const ROLLOUTS = namespaced(ARGO, 'rollouts', 'Rollout');
export const DEPLOYMENT_CONFIGS = namespaced('apps.openshift.io/v1', 'deploymentconfigs', 'DeploymentConfig');
