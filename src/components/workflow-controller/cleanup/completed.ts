import { LABEL_COMPLETED } from '../../../workflows/kinds/labels.ts';
import type { Workflow, WorkflowSpec } from '../../../workflows/kinds/workflow.ts';

/** Whether a workflow is over, as its label says: the controller of workflows touches it no more. Pure. */
export function isOver({ metadata }: Pick<Workflow, 'metadata'>): boolean {
  return metadata.labels?.[LABEL_COMPLETED] === 'true';
}

type CleanupSpec = Pick<WorkflowSpec, 'ttlStrategy' | 'podGC' | 'volumeClaimGC' | 'podDisruptionBudget'>;

/** What a workflow says of its traces: its own spec over that of the template that it ran. Pure. */
export function cleanupSpecOf({ spec, status }: Workflow): CleanupSpec {
  return { ...status?.storedWorkflowTemplateSpec, ...spec };
}
