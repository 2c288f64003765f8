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

/**
 * A resource in namespaces: `namespaced('apps/v1', 'Deployment')`.
 *
 * @param plural @default that of most kinds: in lower case, with an s
 */
export function namespaced(apiVersion: string, kind: string, plural = `${kind.toLowerCase()}s`): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return Object.freeze({ group, version, plural, kind, namespaced: true });
}

/** A resource that belongs to no namespace. */
export function clusterScoped(apiVersion: string, kind: string): Resource {
  return Object.freeze({ ...namespaced(apiVersion, kind), namespaced: false });
}

export const NAMESPACES = clusterScoped('v1', 'Namespace');
export const NODES = clusterScoped('v1', 'Node');
export const PODS = namespaced('v1', 'Pod');
export const SERVICES = namespaced('v1', 'Service');
export const ENDPOINTS = namespaced('v1', 'Endpoints', 'endpoints');
export const CONFIG_MAPS = namespaced('v1', 'ConfigMap');
export const SECRETS = namespaced('v1', 'Secret');
export const SERVICE_ACCOUNTS = namespaced('v1', 'ServiceAccount');
export const EVENTS = namespaced('v1', 'Event');
export const PERSISTENT_VOLUME_CLAIMS = namespaced('v1', 'PersistentVolumeClaim');
export const REPLICATION_CONTROLLERS = namespaced('v1', 'ReplicationController');
export const RESOURCE_QUOTAS = namespaced('v1', 'ResourceQuota');

export const INGRESSES = namespaced('networking.k8s.io/v1', 'Ingress', 'ingresses');

export const DEPLOYMENTS = namespaced('apps/v1', 'Deployment');
export const REPLICA_SETS = namespaced('apps/v1', 'ReplicaSet');
export const STATEFUL_SETS = namespaced('apps/v1', 'StatefulSet');
export const DAEMON_SETS = namespaced('apps/v1', 'DaemonSet');
export const CONTROLLER_REVISIONS = namespaced('apps/v1', 'ControllerRevision');

export const HORIZONTAL_POD_AUTOSCALERS = namespaced('autoscaling/v2', 'HorizontalPodAutoscaler');
/** What pods use, measured when asked for. */
export const POD_METRICS = namespaced('metrics.k8s.io/v1beta1', 'PodMetrics', 'pods');

export const JOBS = namespaced('batch/v1', 'Job');
export const CRON_JOBS = namespaced('batch/v1', 'CronJob');
export const LEASES = namespaced('coordination.k8s.io/v1', 'Lease');
export const ENDPOINT_SLICES = namespaced('discovery.k8s.io/v1', 'EndpointSlice');
export const POD_DISRUPTION_BUDGETS = namespaced('policy/v1', 'PodDisruptionBudget');
export const NETWORK_POLICIES = namespaced('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies');

export const ROLES = namespaced('rbac.authorization.k8s.io/v1', 'Role');
export const ROLE_BINDINGS = namespaced('rbac.authorization.k8s.io/v1', 'RoleBinding');
export const CLUSTER_ROLES = clusterScoped('rbac.authorization.k8s.io/v1', 'ClusterRole');
export const CLUSTER_ROLE_BINDINGS = clusterScoped('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding');

export const SELF_SUBJECT_ACCESS_REVIEWS = clusterScoped(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
);
export const SUBJECT_ACCESS_REVIEWS = clusterScoped('authorization.k8s.io/v1', 'SubjectAccessReview');
export const CUSTOM_RESOURCE_DEFINITIONS = clusterScoped(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = clusterScoped(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
);
