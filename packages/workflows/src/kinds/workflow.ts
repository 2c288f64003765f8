import type { KubeObject, PodSpec, Volume } from '@turnsole/kube/kinds/core';
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts';
import type { Metrics } from './metrics.ts';
import type { Arguments, Outputs } from './parameters.ts';
import type { PodFields } from './pod-fields.ts';
import type { Condition, NodeId, NodeStatus, WorkflowPhase } from './status.ts';
import type { LifecycleHooks, RetryStrategy, Synchronization, Template } from './template.ts';

/** How a client ends a workflow: exit handlers still run under Stop. */
export type ShutdownStrategy = 'Stop' | 'Terminate';

export interface WorkflowTemplateRef {
  readonly name: string;
  readonly clusterScope?: boolean;
}

export interface LabelsAndAnnotations {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface WorkflowMetadata extends LabelsAndAnnotations {
  readonly labelsFrom?: Readonly<Record<string, { readonly expression: string }>>;
}

export interface PodGc {
  readonly strategy?: string;
  readonly labelSelector?: LabelSelector;
  readonly deleteDelayDuration?: string;
}

export interface TtlStrategy {
  readonly secondsAfterCompletion?: number;
  readonly secondsAfterSuccess?: number;
  readonly secondsAfterFailure?: number;
}

/** When artifacts are deleted, and what the pod that does it has. */
export interface ArtifactGc {
  readonly strategy?: string | undefined;
  readonly serviceAccountName?: string | undefined;
  readonly podMetadata?: LabelsAndAnnotations;
  readonly podSpecPatch?: string;
  /** Whether the workflow is deleted even if artifacts of it could not be. */
  readonly forceFinalizerRemoval?: boolean;
}

/** The fields that decisions read. Others are kept as they came. */
export interface WorkflowSpec extends PodFields {
  readonly templates?: readonly Template[];
  readonly entrypoint?: string;
  readonly arguments?: Arguments;
  readonly onExit?: string;
  readonly hooks?: LifecycleHooks;
  readonly workflowTemplateRef?: WorkflowTemplateRef;
  readonly templateDefaults?: Template;
  readonly retryStrategy?: RetryStrategy;
  readonly activeDeadlineSeconds?: number;
  readonly parallelism?: number;
  readonly priority?: number;
  readonly suspend?: boolean;
  readonly shutdown?: ShutdownStrategy;
  readonly synchronization?: Synchronization;
  readonly volumes?: readonly Volume[];
  readonly volumeClaimTemplates?: readonly unknown[];
  readonly metrics?: Metrics;
  readonly volumeClaimGC?: { readonly strategy?: string };
  readonly podDisruptionBudget?: Readonly<Record<string, unknown>>;
  readonly podGC?: PodGc;
  readonly ttlStrategy?: TtlStrategy;
  readonly podMetadata?: LabelsAndAnnotations;
  readonly workflowMetadata?: WorkflowMetadata;
  readonly imagePullSecrets?: PodSpec['imagePullSecrets'];
  readonly hostNetwork?: boolean;
  readonly dnsPolicy?: string;
  readonly dnsConfig?: PodSpec['dnsConfig'];
  readonly podPriorityClassName?: string;
  readonly archiveLogs?: boolean;
  /** When artifacts are to be deleted. */
  readonly artifactGC?: ArtifactGc;
  readonly artifactRepositoryRef?: unknown;
}

export interface WorkflowStatus {
  readonly phase?: WorkflowPhase;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly message?: string;
  readonly progress?: string;
  readonly estimatedDuration?: number;
  readonly nodes?: Readonly<Record<NodeId, NodeStatus>>;
  /** Instead of `nodes` where they are large. */
  readonly compressedNodes?: string;
  readonly storedTemplates?: Readonly<Record<string, Template>>;
  readonly storedWorkflowTemplateSpec?: WorkflowSpec;
  readonly persistentVolumeClaims?: readonly Volume[];
  readonly outputs?: Outputs;
  readonly conditions?: readonly Condition[];
  readonly resourcesDuration?: Readonly<Record<string, number>>;
  readonly synchronization?: unknown;
  readonly artifactGCStatus?: {
    readonly strategiesProcessed?: Readonly<Record<string, boolean>>;
    /** By name: pods whose outcome is recorded. */
    readonly podsRecouped?: Readonly<Record<string, boolean>>;
  };
  readonly artifactRepositoryRef?: unknown;
}

export interface Workflow extends KubeObject {
  readonly spec: WorkflowSpec;
  readonly status?: WorkflowStatus;
}

/** A library of templates; of a namespace, or of the cluster (kind ClusterWorkflowTemplate). */
export interface WorkflowTemplate extends KubeObject {
  readonly spec: WorkflowSpec;
}
