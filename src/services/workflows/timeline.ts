import type { TimelineEntry } from '../../api/timeline.ts';
import type { NodeStatus } from '../../workflows/kinds/status.ts';
import type { Workflow } from '../../workflows/kinds/workflow.ts';
import { nodesOf } from './nodes.ts';
import { phaseText } from './phase.ts';

/** The steps of a workflow with those of its engines, in order of time. Pure. */
export function workflowTimeline(
  workflow: Workflow,
  engines: readonly (readonly TimelineEntry[])[],
): TimelineEntry[] {
  const { metadata, status = {} } = workflow;
  const object = `workflow/${metadata.namespace ?? ''}/${metadata.name}`;
  const own = (time: string | undefined | null, step: string, message: string): TimelineEntry[] =>
    time === undefined || time === null
      ? []
      : [{ time: wholeTime(time), actor: ACTOR, step, object, message }];
  const isOver = status.finishedAt !== undefined && status.finishedAt !== null;
  const why = status.message === undefined || status.message === '' ? '' : `: ${status.message}`;
  const lines = [
    ...own(status.startedAt, 'WorkflowStarted', `workflow ${metadata.name} begins`),
    ...Object.values(nodesOf(workflow)).flatMap(nodeEntries),
    ...(isOver
      ? own(
          status.finishedAt,
          `Workflow${status.phase}`,
          `workflow ${metadata.name} has ended: ${phaseText(workflow)}${why}`,
        )
      : []),
  ];
  return [...lines, ...engines.flat()]
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => Date.parse(a.entry.time) - Date.parse(b.entry.time) || a.index - b.index)
    .map(({ entry }) => entry);
}

const ACTOR = 'workflow';

/** Begin and end of a node. Groups say nothing that their members do not. */
function nodeEntries({
  name,
  type,
  phase,
  message,
  startedAt,
  finishedAt,
  templateName,
}: NodeStatus): TimelineEntry[] {
  if (type === 'StepGroup' || type === 'TaskGroup' || startedAt === undefined || startedAt === null)
    return [];
  const object = `node/${name}`;
  const why = message === undefined || message === '' ? '' : `: ${message.split('\n')[0]}`;
  const isBornOver = phase === 'Skipped' || phase === 'Omitted';
  const begin = { time: wholeTime(startedAt), actor: ACTOR, object };
  if (isBornOver) return [{ ...begin, step: `Node${phase}`, message: `${name} is left out${why}` }];
  const template = templateName === undefined ? '' : ` of template ${templateName}`;
  return [
    { ...begin, step: 'NodeStarted', message: `${name}${template} begins` },
    ...(finishedAt === undefined || finishedAt === null
      ? []
      : [
          {
            time: wholeTime(finishedAt),
            actor: ACTOR,
            step: `Node${phase}`,
            object,
            message: `${name} has ended: ${phase}${why}`,
          },
        ]),
  ];
}

/** Nodes have whole seconds; other steps have thousandths, and times are compared as texts. */
function wholeTime(time: string): string {
  return new Date(time).toISOString();
}
