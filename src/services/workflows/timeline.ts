import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TimelineEntry } from '../../api/timeline.ts';
import { nodeSteps, workflowSteps } from '../../chaos/spans/workflow-steps.ts';
import { nodesOf } from './nodes.ts';
import { phaseText } from './phase.ts';

/** The steps of a workflow with those of its engines, in order of time. Pure. */
export function workflowTimeline(
  workflow: Workflow,
  engines: readonly (readonly TimelineEntry[])[],
): TimelineEntry[] {
  const own = workflowSteps(workflow, workflow.status ?? {}, phaseText(workflow));
  const [begin, ...end] = own;
  const lines = [
    ...(begin === undefined ? [] : [begin]),
    ...Object.values(nodesOf(workflow)).flatMap(nodeSteps),
    ...end,
  ];
  return [...lines, ...engines.flat()].toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}
