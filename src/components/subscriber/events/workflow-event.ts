import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { Nodes } from '../../workflow-controller/stored-nodes.ts';
import { updatedByOf } from '../labels.ts';
import { withEarlier } from './earlier-data.ts';
import { type ChaosData, type RunEvent, type RunNode, type RunPhase, secondsText } from './run-event.ts';

/** Input of an event. */
interface WorkflowFacts {
  readonly workflow: Workflow;
  readonly nodes: Nodes;
  /** Nodes that make engines, with the present facts about these. */
  readonly engines: ReadonlyMap<string, ChaosData | undefined>;
  /** The event before this one, where it is remembered. */
  readonly before: RunEvent | undefined;
}

/** The state of a workflow's run. Pure. */
export function workflowEvent({ workflow, nodes, engines, before }: WorkflowFacts): RunEvent {
  const { metadata, spec, status } = workflow;
  const labels = metadata.labels ?? {};
  const isStopped = spec.shutdown !== undefined;
  const finishedAt = secondsText(status?.finishedAt);
  const runNodes = Object.keys(nodes)
    .toSorted()
    .map((id) => {
      const node = nodes[id] as NodeStatus;
      const isRoot = id === metadata.name;
      const phase = isRoot && isStopped ? 'Stopped' : undefined;
      return [id, runNode(node, engines.has(id), engines.get(id), before?.nodes[id], phase)] as const;
    });
  const event: RunEvent = {
    experimentType: 'events',
    revisionID: labels.revision_id ?? '',
    notifyID: labels.notify_id ?? null,
    experimentID: labels.workflow_id ?? '',
    eventType: before === undefined ? 'ADD' : 'UPDATE',
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    creationTimestamp: secondsText(metadata.creationTimestamp),
    phase: isStopped ? 'Stopped' : phaseOf(status?.phase),
    // Else `phase` says it, and the words to LitmusChaos' server are its own agent's.
    ...(status?.phase === 'Failed' && { workflowPhase: status.phase }),
    message: typeof status?.message === 'string' ? status.message : '',
    startedAt: secondsText(status?.startedAt),
    finishedAt,
    nodes: Object.fromEntries(runNodes),
    updatedBy: updatedByOf(metadata),
  };
  return finishedAt === '' ? event : atTheEnd(event);
}

/** Argo's phases in the words of the server: a workflow that failed has completed, its faults have verdicts. */
function phaseOf(phase: string | undefined): RunPhase {
  switch (phase) {
    case 'Running':
      return 'Running';
    case 'Succeeded':
    case 'Failed':
      return 'Completed';
    case 'Error':
      return 'Error';
    default:
      return 'Pending';
  }
}

function runNode(
  node: NodeStatus,
  isEngine: boolean,
  known: ChaosData | undefined,
  before: RunNode | undefined,
  phase: string | undefined,
): RunNode {
  // The engine may have been deleted since: its last known state counts.
  const isRemembered = isEngine && known === undefined && before?.chaosData !== undefined;
  const chaosData = isRemembered ? before.chaosData : known && withEarlier(known, before?.chaosData);
  const ofEngine = isRemembered ? before.phase : chaosData?.experimentStatus;
  const hasJustBegun = before?.phase === 'Pending' && node.phase === 'Running';
  return {
    name: node.displayName,
    phase: phase ?? (hasJustBegun ? 'Running' : ofEngine || node.phase),
    message: isRemembered ? before.message : (node.message ?? '').replaceAll('"', ''),
    startedAt: secondsText(node.startedAt),
    finishedAt: secondsText(node.finishedAt),
    children: node.children ?? null,
    type: isEngine ? 'ChaosEngine' : node.type,
    chaosData,
  };
}

const UNFINISHED: ReadonlySet<string> = new Set(['Running', 'Pending']);

/** A run that is over is as bad as the worst of its engines; an engine that had not ended when the run was stopped counts as stopped. */
function atTheEnd(event: RunEvent): RunEvent {
  if (event.phase === 'Stopped') {
    const nodes = Object.entries(event.nodes).map(([id, node]) =>
      UNFINISHED.has(node.phase)
        ? [id, { ...node, phase: 'Stopped', finishedAt: node.finishedAt || event.finishedAt }]
        : [id, node],
    );
    return { ...event, nodes: Object.fromEntries(nodes) as RunEvent['nodes'] };
  }
  const nodes = Object.values(event.nodes);
  const hasError = nodes.some(
    ({ type, phase, chaosData }) => phase === 'Error' || (type === 'ChaosEngine' && chaosData === undefined),
  );
  if (hasError) return { ...event, phase: 'Error' };
  const hasFailedProbe = nodes.some(({ phase }) => phase === 'Completed_With_Probe_Failure');
  return hasFailedProbe ? { ...event, phase: 'Completed_With_Probe_Failure' } : event;
}
