import { elementName, itemNames, itemsOf } from '../../kinds/loop-items.ts';
import type { WorkflowStep } from '../../kinds/template.ts';
import { namesOf } from '../substitution/names.ts';
import { type PassOptions, substitute } from '../substitution/render.ts';

/** An element of a loop: the step with `item` replaced, under the name that the element gives it. */
interface Expanded {
  readonly step: WorkflowStep;
  readonly name: string;
}

/**
 * The steps that a step stands for: itself, or one for each element of its loop.
 *
 * @throws LoopError
 */
export function expandStep(step: WorkflowStep, options: PassOptions): Expanded[] {
  const items = itemsOf(step);
  if (items === undefined) return [{ step, name: step.name }];
  const { withItems: _items, withParam: _param, withSequence: _sequence, ...body } = step;
  const isStrict = (): boolean => true;
  return items.map((item, index) => {
    const name = elementName(step.name, index, item);
    const expanded = substitute(body, namesOf(itemNames(item)), { ...options, isRequired: isStrict });
    return { step: expanded, name };
  });
}
