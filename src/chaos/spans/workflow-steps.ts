import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow, WorkflowStatus } from '@turnsole/workflows/kinds/workflow';
import type { TimelineEntry } from '../../api/timeline.ts';

const ACTOR = 'workflow';

/** Begin and end of a workflow as steps of a timeline. Pure. @param shown what its end is called */
export function workflowSteps(
  { metadata }: Pick<Workflow, 'metadata'>,
  {
    startedAt,
    finishedAt,
    phase,
    message,
  }: Pick<WorkflowStatus, 'startedAt' | 'finishedAt' | 'phase' | 'message'>,
  shown: string,
): TimelineEntry[] {
  const { name, namespace = '' } = metadata;
  const own = (time: string | undefined | null, step: string, text: string): TimelineEntry[] =>
    time === undefined || time === null
      ? []
      : [
          {
            time: wholeTime(time),
            actor: ACTOR,
            step,
            object: `workflow/${namespace}/${name}`,
            message: text,
          },
        ];
  const why = message === undefined || message === '' ? '' : `: ${message}`;
  return [
    ...own(startedAt, 'WorkflowStarted', `workflow ${name} begins`),
    ...own(finishedAt, `Workflow${phase}`, `workflow ${name} has ended: ${shown}${why}`),
  ];
}

/** Begin and end of a node as steps of a timeline. Groups say nothing that their members do not. Pure. */
export function nodeSteps({
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
