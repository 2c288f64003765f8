import type { NodeStatus } from '../../kinds/status.ts';
import { failFast, hasFailedFast } from '../concerns/parallelism.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import type { Element } from '../frames.ts';
import { createNode } from '../new-node.ts';
import { type FailedStart, startTemplate } from '../start.ts';

/** A StepGroup or a TaskGroup. */
interface Group {
  readonly group: NodeStatus;
  /** Its members' names begin with that of this node, which is over once one of them fails fast. */
  readonly parent: NodeStatus;
  /** The Steps or DAG node. */
  readonly boundary: NodeStatus;
}

/** What a group consists of, as it is resolved the first time. */
export function elementsOf(
  draft: Draft,
  group: NodeStatus,
  resolve: () => readonly Element[],
): readonly Element[] {
  const elements = draft.run.elements.get(group.id) ?? resolve();
  draft.run.elements.set(group.id, elements);
  return elements;
}

/**
 * Starts the missing members of a group, until one has to wait. Members begin in order, so the next one is behind the existing
 * ones; unless a client removed some before it (retry), which shows when the end is reached and some are missing.
 *
 * @param failed takes a member that could not start; false when the group is over with it
 * @returns whether each member has a node
 */
export function startMembers(
  draft: Draft,
  members: Group,
  elements: readonly Element[],
  failed: (member: FailedStart) => boolean,
): boolean {
  const { group, parent } = members;
  const startFrom = (first: number): boolean => {
    for (let at = first; at < elements.length; at += 1) {
      const element = elements[at];
      if (element === undefined || draft.named(`${parent.name}.${element.name}`) !== undefined) continue;
      if (!startMember(draft, members, element, failed)) return false;
    }
    return true;
  };
  const isWhole = (): boolean => draft.index.created.get(group.id) === elements.length;
  if (startFrom(draft.index.created.get(group.id)) && !isWhole()) startFrom(0);
  return isWhole();
}

/** False when it has to wait, or the group is over. */
function startMember(
  draft: Draft,
  { group, parent, boundary }: Group,
  { name, step, skipped }: Element,
  failed: (member: FailedStart) => boolean,
): boolean {
  const { scope } = frameOf(draft, boundary);
  const call = { name: `${parent.name}.${name}`, holder: step, scope, boundary };
  if (skipped !== undefined) {
    const node = createNode(draft, { ...call, type: 'Skipped', phase: 'Skipped', message: skipped });
    draft.addChild(group.id, node.id);
    return true;
  }
  if (hasFailedFast(draft, boundary)) {
    failFast(draft, parent);
    return false;
  }
  const started = startTemplate(draft, { ...call, args: step.arguments });
  if (started.kind === 'blocked') return false;
  draft.addChild(group.id, started.node.id);
  return started.kind === 'started' || failed(started);
}
