import type {
  ConfigMap,
  CoreEvent,
  DaemonSet,
  Deployment,
  Endpoints,
  Job,
  KubeObject,
  Namespace,
  Node,
  ObjectMeta,
  Pod,
  ReplicaSet,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  CONTROLLER_REVISIONS,
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  JOBS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  RESOURCE_QUOTAS,
  type Resource,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  STATEFUL_SETS,
} from '@turnsole/kube/kinds/resources';
import type * as apps from 'kubernetes-types/apps/v1.d.ts';
import type * as batchEarlier from 'kubernetes-types/batch/v1.d.ts';
import type * as core from 'kubernetes-types/core/v1.d.ts';
import type * as discovery from 'kubernetes-types/discovery/v1.d.ts';
import type * as policy from 'kubernetes-types/policy/v1.d.ts';

type Served<T> = Omit<T, 'metadata'> & { metadata: ObjectMeta };

/** Kinds that scenarios use, with their types. */
export interface Kinds {
  ConfigMap: ConfigMap;
  ControllerRevision: Served<apps.ControllerRevision>;
  CronJob: Served<batchEarlier.CronJob>;
  DaemonSet: DaemonSet;
  Deployment: Deployment;
  EndpointSlice: Served<discovery.EndpointSlice>;
  Endpoints: Endpoints;
  Event: CoreEvent;
  Job: Job;
  LimitRange: Served<core.LimitRange>;
  Namespace: Namespace;
  Node: Node;
  PersistentVolumeClaim: Served<core.PersistentVolumeClaim>;
  Pod: Pod;
  PodDisruptionBudget: Served<policy.PodDisruptionBudget>;
  ReplicaSet: ReplicaSet;
  ResourceQuota: Served<core.ResourceQuota>;
  Secret: Secret;
  Service: Service;
  ServiceAccount: ServiceAccount;
  StatefulSet: StatefulSet;
}

/** Name of a kind that scenarios use. */
export type Kind = keyof Kinds;

/** An object of a kind as it is sent. */
export type Draft = Omit<KubeObject, 'kind'> & { readonly kind: Kind } & Readonly<Record<string, unknown>>;

/** The resources of the kinds. */
export const RESOURCES: Readonly<Record<Kind, Resource>> = {
  ConfigMap: CONFIG_MAPS,
  ControllerRevision: CONTROLLER_REVISIONS,
  CronJob: CRON_JOBS,
  DaemonSet: DAEMON_SETS,
  Deployment: DEPLOYMENTS,
  EndpointSlice: ENDPOINT_SLICES,
  Endpoints: ENDPOINTS,
  Event: EVENTS,
  Job: JOBS,
  LimitRange: { group: '', version: 'v1', plural: 'limitranges', kind: 'LimitRange', namespaced: true },
  Namespace: NAMESPACES,
  Node: NODES,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIMS,
  Pod: PODS,
  PodDisruptionBudget: POD_DISRUPTION_BUDGETS,
  ReplicaSet: REPLICA_SETS,
  ResourceQuota: RESOURCE_QUOTAS,
  Secret: SECRETS,
  Service: SERVICES,
  ServiceAccount: SERVICE_ACCOUNTS,
  StatefulSet: STATEFUL_SETS,
};
