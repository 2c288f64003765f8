import type { EventText } from '@turnsole/kube/runtime/event-recorder';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import { ANNOTATION_NODE_ID, ANNOTATION_NODE_NAME } from '@turnsole/workflows/kinds/labels';
import { podNameOf } from '@turnsole/workflows/kinds/pod-names';
import type { NodePhase, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { NodeChange, StoredChange } from '../ports.ts';

/** `nodeEvents` and `workflowEvents` of the configuration. */
export interface EventSettings {
  /** @default true */
  readonly workflows?: boolean;
  /** @default true */
  readonly nodes?: boolean;
  /** Whether Events of nodes with a pod go to the pod. @default false */
  readonly asPod?: boolean;
}

/** An Event, and the pod that it is about; without one it is about the workflow. */
interface WorkflowEvent extends Pick<EventText, 'type' | 'reason' | 'message' | 'annotations'> {
  readonly pod?: string;
}

const PREFIX = 'workflows.argoproj.io/';

/** The Events of what a write has changed, in the words of Argo's controller. Pure. */
export function eventsOf(change: StoredChange, settings: EventSettings): WorkflowEvent[] {
  const { workflows = true, nodes = true } = settings;
  const [begin, end] = workflows ? ofWorkflow(change) : [];
  return [
    ...(begin === undefined ? [] : [begin]),
    ...(nodes ? change.changes.flatMap((one) => ofNode(change, one, settings)) : []),
    ...(end === undefined ? [] : [end]),
  ];
}

/** Events that it runs, and that it has ended; both for a workflow that ran within one write. */
function ofWorkflow({ phaseBefore, status, nodes }: StoredChange): readonly (WorkflowEvent | undefined)[] {
  const { phase, message = '' } = status;
  if (phase === phaseBefore) return [];
  const hadBegun = phaseBefore !== '' && phaseBefore !== 'Pending';
  const begins = !hadBegun && (phase === 'Running' || (isOverPhase(phase) && nodes.size > 0));
  const running: WorkflowEvent = { type: 'Normal', reason: 'WorkflowRunning', message: 'Workflow Running' };
  const ended: WorkflowEvent | undefined =
    phase === 'Succeeded'
      ? { type: 'Normal', reason: 'WorkflowSucceeded', message: 'Workflow completed' }
      : isOverPhase(phase)
        ? { type: 'Warning', reason: 'WorkflowFailed', message }
        : undefined;
  return [begins ? running : undefined, ended];
}

/** A node that has ended without having been seen to run gets both. */
function ofNode(
  change: StoredChange,
  { before, after }: NodeChange,
  { asPod = false }: EventSettings,
): WorkflowEvent[] {
  if (before?.phase === after.phase) return [];
  const isUnseen = before === undefined || before.phase === 'Pending';
  const phases: readonly NodePhase[] =
    isUnseen && isOverPhase(after.phase) ? ['Running', after.phase] : [after.phase];
  if (before === undefined && !isOverPhase(after.phase) && after.phase !== 'Running') return [];
  const pod = asPod && after.type === 'Pod' ? podNameOf(change.workflow, after) : undefined;
  return phases.map((phase) => ofPhase(change, after, phase, pod));
}

function ofPhase(
  { workflow }: StoredChange,
  node: NodeStatus,
  phase: NodePhase,
  pod: string | undefined,
): WorkflowEvent {
  const message = node.message === undefined || phase === 'Running' ? '' : `: ${node.message}`;
  const { name, uid = '' } = workflow.metadata;
  return {
    type: phase === 'Running' || phase === 'Succeeded' ? 'Normal' : 'Warning',
    reason: `WorkflowNode${phase}`,
    message: `${phase} node ${node.name}${message}`,
    annotations: {
      [`${PREFIX}node-type`]: node.type,
      [ANNOTATION_NODE_NAME]: node.name,
      [ANNOTATION_NODE_ID]: node.id,
      [`${PREFIX}node-start-time`]: node.startedAt ?? '',
      ...(pod !== undefined && { [`${PREFIX}workflow-name`]: name, [`${PREFIX}workflow-uid`]: uid }),
    },
    ...(pod !== undefined && { pod }),
  };
}
