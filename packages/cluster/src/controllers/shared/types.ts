/** Kinds that only the embedded cluster's controllers handle; see `packages/kube/src/kinds/core.ts` for the others. */

import type { Served } from '@turnsole/kube/kinds/core';
import type * as apps from 'kubernetes-types/apps/v1.d.ts';
import type * as batch from 'kubernetes-types/batch/v1.d.ts';
import type * as core from 'kubernetes-types/core/v1.d.ts';
import type * as discovery from 'kubernetes-types/discovery/v1.d.ts';
import type * as policy from 'kubernetes-types/policy/v1.d.ts';

export type CronJob = Served<batch.CronJob>;
export type ControllerRevision = Served<Omit<apps.ControllerRevision, 'data'>> & { data?: unknown };
export type PersistentVolumeClaim = Served<core.PersistentVolumeClaim>;
export type PodDisruptionBudget = Served<policy.PodDisruptionBudget>;
export type EndpointSlice = Served<discovery.EndpointSlice>;
export type Endpoint = discovery.Endpoint;
export type EndpointPort = discovery.EndpointPort;
export type EndpointSubset = core.EndpointSubset;
export type EndpointAddress = core.EndpointAddress;
export type ServicePort = core.ServicePort;

/** What Kubernetes has added since the published types were made. */
interface Terminating {
  terminatingReplicas?: number;
}

export type DeploymentStatus = apps.DeploymentStatus & Terminating;
export type DeploymentCondition = apps.DeploymentCondition;
export type ReplicaSetStatus = apps.ReplicaSetStatus & Terminating;
export type ReplicaSetCondition = apps.ReplicaSetCondition;
export type StatefulSetStatus = apps.StatefulSetStatus;
export type DaemonSetStatus = apps.DaemonSetStatus;
export type JobStatus = batch.JobStatus;
export type JobCondition = batch.JobCondition;
export type CronJobStatus = batch.CronJobStatus;
export type NamespaceCondition = core.NamespaceCondition;
export type PodCondition = core.PodCondition;
export type NodeCondition = core.NodeCondition;
export type Taint = core.Taint;
export type NodeSelector = core.NodeSelector;
export type NodeSelectorTerm = core.NodeSelectorTerm;
export type NodeSelectorRequirement = core.NodeSelectorRequirement;
export type PodAffinityTerm = core.PodAffinityTerm;
export type TopologySpreadConstraint = core.TopologySpreadConstraint;
