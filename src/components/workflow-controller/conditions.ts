import type { RunIndex } from '@turnsole/workflows/engine/run-index';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { Condition, WorkflowPhase } from '@turnsole/workflows/kinds/status';

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
