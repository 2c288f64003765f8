import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TimelineEntry } from '../../api/timeline.ts';
import { nodeSteps, workflowSteps } from '../../chaos/spans/workflow-steps.ts';
import { nodesOf } from './nodes.ts';
import { phaseText } from './phase.ts';

/** A step of a workflow's timeline. */
export interface WorkflowTimelineEntry extends TimelineEntry {
  /** Of one of several engines: the step of the workflow that made it. */
  readonly workflowStep?: string;
}

/** An engine as far as the timeline of its workflow needs it. */
interface TimedEngine {
  readonly step?: string;
  readonly timeline: readonly TimelineEntry[];
}

/** The steps of a workflow with those of its engines, in order of time. Pure. */
export function workflowTimeline(
  workflow: Workflow,
  engines: readonly TimedEngine[],
): WorkflowTimelineEntry[] {
  const own = workflowSteps(workflow, workflow.status ?? {}, phaseText(workflow));
  const [begin, ...end] = own;
  const lines = [
    ...(begin === undefined ? [] : [begin]),
    ...Object.values(nodesOf(workflow)).flatMap(nodeSteps),
    ...end,
  ];
  const areSeveral = engines.length > 1;
  const ofEngines = engines.flatMap(({ step, timeline }) =>
    areSeveral && step !== undefined ? timeline.map((entry) => ofStep(entry, step)) : timeline,
  );
  return [...lines, ...ofEngines].toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

/** A step of an engine, beside those of others. */
export function ofStep(entry: TimelineEntry, workflowStep: string): WorkflowTimelineEntry {
  return { ...entry, workflowStep };
}

/** Who did it, for people: `experiment/pod-delete (delete-pods)` where the workflow has made several engines. */
export function actorText({ actor, workflowStep }: WorkflowTimelineEntry): string {
  return workflowStep === undefined ? actor : `${actor} (${workflowStep})`;
}
