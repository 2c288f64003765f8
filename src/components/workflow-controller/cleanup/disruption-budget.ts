import type { KubeObject } from '@turnsole/kube/kinds/core';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { ownerReference } from '@turnsole/workflows/kinds/owner-reference';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';

/** The PodDisruptionBudget of a workflow: named like it, for all of its pods. Undefined where it asks for none. Pure. */
export function disruptionBudgetOf(
  workflow: Workflow,
  { podDisruptionBudget }: Pick<WorkflowSpec, 'podDisruptionBudget'>,
): (KubeObject & { readonly spec: unknown }) | undefined {
  if (podDisruptionBudget === undefined) return undefined;
  const { name, namespace } = workflow.metadata;
  const labels = { [LABEL_WORKFLOW]: name };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, labels, ownerReferences: [ownerReference('Workflow', workflow)] },
    spec: { ...podDisruptionBudget, selector: { matchLabels: labels } },
  };
}
