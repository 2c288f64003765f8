import type { KubeObject, ObjectReference } from '@turnsole/kube/kinds/core';
import type { Condition } from './status.ts';
import type { WorkflowMetadata, WorkflowSpec } from './workflow.ts';

export type ConcurrencyPolicy = 'Allow' | 'Forbid' | 'Replace';

export interface CronWorkflowSpec {
  readonly schedules: readonly string[];
  readonly timezone?: string;
  readonly concurrencyPolicy?: ConcurrencyPolicy | '';
  readonly startingDeadlineSeconds?: number;
  readonly suspend?: boolean;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly stopStrategy?: { readonly expression?: string };
  readonly when?: string;
  readonly workflowSpec: WorkflowSpec;
  readonly workflowMetadata?: WorkflowMetadata & { readonly finalizers?: readonly string[] };
}

export interface CronWorkflowStatus {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduledTime?: string;
  readonly conditions?: readonly Condition[];
  readonly succeeded?: number;
  readonly failed?: number;
  readonly phase?: 'Active' | 'Stopped' | '';
}

export interface CronWorkflow extends KubeObject {
  readonly spec: CronWorkflowSpec;
  readonly status?: CronWorkflowStatus;
}
