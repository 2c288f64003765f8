import type { WorkflowStep } from './template.ts';

/** The fields by which a step or task stands for several. */
type LoopField = 'withItems' | 'withParam' | 'withSequence';

/** The fields that make a step or task a loop, in Argo's order; validation refuses more than one. Argo takes an empty field for absent. Pure. */
export function loopFields({ withItems = [], withParam = '', withSequence }: WorkflowStep): LoopField[] {
  const fields: LoopField[] = [];
  if (withItems.length > 0) fields.push('withItems');
  if (withParam !== '') fields.push('withParam');
  if (withSequence !== undefined) fields.push('withSequence');
  return fields;
}

/** Whether a step or task stands for several. Pure. */
export function isLoop(step: WorkflowStep): boolean {
  return loopFields(step).length > 0;
}
