import type { ExecutionNode } from '../run/execution.ts';
import type { Step } from './draft.ts';
import { groupsOf } from './steps.ts';

/** Steps as a graph of a workflow that has not begun: each leads to all that begin after it. Pure. */
export function stepNodes(steps: readonly Step[]): ExecutionNode[] {
  const groups = groupsOf(steps);
  return groups.flatMap((group, place) =>
    group.map(({ name }) => ({
      ...{ id: name, name, phase: '', type: 'Pod', message: '' },
      ...{ startMs: undefined, endMs: undefined, engine: undefined },
      children: (groups[place + 1] ?? []).map((next) => next.name),
    })),
  );
}
