import { elementName, itemNames, itemsOf } from '../../kinds/loop-items.ts';
import type { WorkflowStep } from '../../kinds/template.ts';
import { type Names, namesOf } from '../substitution/names.ts';

/** An element of a loop: the name that it gets, and what `item` stands for in it. */
interface Expanded {
  readonly name: string;
  readonly item: Names;
}

/**
 * The elements of a step's loop, whose own tags are replaced; undefined for a step without a loop.
 *
 * @throws LoopError
 */
export function expandLoop(step: WorkflowStep): Expanded[] | undefined {
  return itemsOf(step)?.map((item, index) => ({
    name: elementName(step.name, index, item),
    item: namesOf(itemNames(item)),
  }));
}
