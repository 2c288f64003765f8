import type { NodeStatus } from '../../kinds/status.ts';
import type { Draft } from '../draft.ts';
import type { Element } from '../frames.ts';

/**
 * Starts the missing members of a group, until one has to wait. Members begin in order, so the next one is behind the existing
 * ones; unless a client removed some before it (retry), which shows when the end is reached and some are missing.
 *
 * @param parent the first part of the members' names
 * @param start false when the member has to wait, or the group is over
 * @returns whether each member has a node
 */
export function startMembers(
  draft: Draft,
  { group, parent }: { readonly group: NodeStatus; readonly parent: NodeStatus },
  elements: readonly Element[],
  start: (element: Element) => boolean,
): boolean {
  const startFrom = (first: number): boolean => {
    for (let at = first; at < elements.length; at += 1) {
      const element = elements[at];
      if (element === undefined || draft.named(`${parent.name}.${element.name}`) !== undefined) continue;
      if (!start(element)) return false;
    }
    return true;
  };
  const isWhole = (): boolean => draft.index.created.get(group.id) === elements.length;
  if (startFrom(draft.index.created.get(group.id)) && !isWhole()) startFrom(0);
  return isWhole();
}
