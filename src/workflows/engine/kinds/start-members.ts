import type { NodeStatus } from '../../kinds/status.ts';
import type { Draft } from '../draft.ts';
import type { Element } from '../frames.ts';

/**
 * Starts the members of a group that there are not yet, until one has to wait. Members begin in order, so the next one is behind those
 * that there are; unless a client took away some before it (retry), which is seen when the end is reached and some are missing.
 *
 * @param parent what the names of members begin with
 * @param start false when the member has to wait, or the group is over
 * @returns whether there is a node of each member
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
