import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';

type CleanupSpec = Pick<WorkflowSpec, 'ttlStrategy' | 'podGC' | 'volumeClaimGC' | 'podDisruptionBudget'>;

/** What a workflow says of its traces: its own spec over that of the template that it ran. Pure. */
export function cleanupSpecOf({ spec, status }: Workflow): CleanupSpec {
  return { ...status?.storedWorkflowTemplateSpec, ...spec };
}
