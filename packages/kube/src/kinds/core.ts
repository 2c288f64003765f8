/**
 * The pieces of Kubernetes' own kinds that Turnsole reads and writes, as types only.
 *
 * They come from the types-only package `kubernetes-types`, where every field is optional as in OpenAPI. What the
 * API server always fills in (name, uid, resourceVersion…) is made required here, so that code does not have to
 * ask for it again and again.
 */
import type * as apps from 'kubernetes-types/apps/v1.d.ts';
import type * as batch from 'kubernetes-types/batch/v1.d.ts';
import type * as coordination from 'kubernetes-types/coordination/v1.d.ts';
import type * as core from 'kubernetes-types/core/v1.d.ts';
import type * as meta from 'kubernetes-types/meta/v1.d.ts';
import type * as networking from 'kubernetes-types/networking/v1.d.ts';
import type * as rbac from 'kubernetes-types/rbac/v1.d.ts';

/** Metadata of an object as served: the fields the API server guarantees are present. */
export interface ObjectMeta extends Omit<meta.ObjectMeta, 'name'> {
  name: string;
}

/** Any object the API serves. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** A kind as an API server gives it: always with metadata. */
export type Served<T> = Omit<T, 'metadata'> & { metadata: ObjectMeta };

export type OwnerReference = meta.OwnerReference;
export type LabelSelector = meta.LabelSelector;
export type Pod = Served<core.Pod>;
export type PodSpec = core.PodSpec;
export type PodStatus = core.PodStatus;
export type PodTemplateSpec = core.PodTemplateSpec;
export type Container = core.Container;
export type Probe = core.Probe;
export type LifecycleHandler = core.LifecycleHandler;
export type ContainerStatus = core.ContainerStatus;
export type EnvVar = core.EnvVar;
export type EnvFromSource = core.EnvFromSource;
export type Volume = core.Volume;
export type VolumeMount = core.VolumeMount;
export type Toleration = core.Toleration;
export type ResourceRequirements = core.ResourceRequirements;
export type LocalObjectReference = core.LocalObjectReference;
export type ObjectReference = core.ObjectReference;
export type PodSecurityContext = core.PodSecurityContext;
export type SecurityContext = core.SecurityContext;
export type Node = Served<core.Node>;
export type Namespace = Served<core.Namespace>;
export type Service = Served<core.Service>;
export type Endpoints = Served<core.Endpoints>;
export type ConfigMap = Served<core.ConfigMap>;
export type Secret = Served<core.Secret>;
export type ServiceAccount = Served<core.ServiceAccount>;
export type CoreEvent = Served<core.Event>;
export type Deployment = Served<apps.Deployment>;
export type ReplicaSet = Served<apps.ReplicaSet>;
export type StatefulSet = Served<apps.StatefulSet>;
export type DaemonSet = Served<apps.DaemonSet>;
export type Job = Served<batch.Job>;
export type Lease = Served<coordination.Lease>;
export type NetworkPolicy = Served<networking.NetworkPolicy>;
export type NetworkPolicyPeer = networking.NetworkPolicyPeer;
export type NetworkPolicyPort = networking.NetworkPolicyPort;
export type Role = Served<rbac.Role>;
export type RoleBinding = Served<rbac.RoleBinding>;
export type ClusterRole = Served<rbac.ClusterRole>;
export type ClusterRoleBinding = Served<rbac.ClusterRoleBinding>;
export type PolicyRule = rbac.PolicyRule;

/** `namespace/name`, or `name` for cluster-scoped objects: the key of caches, queues and messages. */
export function objectKey(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
