import type { RunIndex } from '../../workflows/engine/run-index.ts';
import { LABEL_COMPLETED } from '../../workflows/kinds/labels.ts';
import type { Condition, WorkflowPhase } from '../../workflows/kinds/status.ts';
import type { Workflow } from '../../workflows/kinds/workflow.ts';

/** What a workflow's conditions follow from. */
interface ConditionFacts {
  readonly phase: WorkflowPhase;
  /** Pods that are pending or running. */
  readonly pods: RunIndex['pods'];
}

/** The conditions as they are to be, over those that are there: others' are kept. Pure. */
export function workflowConditions(
  present: readonly Condition[],
  { phase, pods }: ConditionFacts,
): readonly Condition[] {
  const isOver = isOverPhase(phase);
  const hadPods = present.some(({ type }) => type === 'PodRunning');
  const own: Condition[] = [];
  if (hadPods || pods > 0) own.push({ type: 'PodRunning', status: !isOver && pods > 0 ? 'True' : 'False' });
  own.push({ type: 'Completed', status: isOver ? 'True' : 'False' });
  const written = new Set(['PodRunning', 'Completed', ...own.map(({ type }) => type)]);
  return [...own, ...present.filter(({ type }) => !written.has(type))];
}

/** Whether a workflow with this phase has ended. */
export function isOverPhase(phase: WorkflowPhase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
}

/** Whether a workflow is never touched again, unless a client takes the label back. */
export function isCompleted({ metadata }: Pick<Workflow, 'metadata'>): boolean {
  return metadata.labels?.[LABEL_COMPLETED] === 'true';
}
