import { metaTime } from '@turnsole/kube/text/time';
import { LABEL_COMPLETED } from '@turnsole/workflows/kinds/labels';
import { podNameOf } from '@turnsole/workflows/kinds/pod-names';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';
import { type Nodes, nodesOf, titleOf, withNodes } from './nodes.ts';
import { type ParameterValues, withParameters } from './parameters.ts';
import { planRetry } from './retry-nodes.ts';

/** What is to run again besides the failures. */
export interface RetrySettings {
  /** Nodes that are to run again; they count with `restartSuccessful` alone. */
  readonly isMeant?: (node: NodeStatus) => boolean;
  readonly restartSuccessful?: boolean;
  readonly parameters: ParameterValues;
}

/** A workflow that goes on, and what has to go before it may. */
export interface Retry {
  readonly workflow: Workflow;
  /** Names of the pods of nodes that are run again. */
  readonly pods: readonly string[];
  /** Nodes that are taken away; reports of their pods have these names. */
  readonly removed: readonly NodeId[];
  readonly reopened: readonly NodeId[];
}

const LABEL_ARCHIVING = 'workflows.argoproj.io/workflow-archiving-status';

/**
 * The same workflow, to be gone on with from what failed: the controller finds no phase, with nodes, and continues from those. Pure.
 *
 * @throws CommandError (bad input) when it has not ended badly, and nothing is chosen that is to run again
 */
export function retryOf(workflow: Workflow, settings: RetrySettings, nowMs: number): Retry {
  refuse(workflow, settings);
  const { name } = workflow.metadata;
  const nodes = nodesOf(workflow);
  const { restartSuccessful = false, isMeant } = settings;
  const isChosen = restartSuccessful && isMeant !== undefined ? isMeant : () => false;
  const { removed, reopened } = planRetry(name, nodes, isChosen);
  if (removed.size === 0 && reopened.size === 0) {
    const message = `cannot retry ${titleOf(workflow)}: no node of it failed${restartSuccessful ? ' and none is selected' : ''}`;
    throw new CommandError(message, 'WORKFLOW_REFUSED');
  }
  const kept = Object.fromEntries(
    Object.entries(nodes)
      .filter(([id]) => !removed.has(id))
      .map(([id, node]) => [id, nodeAfter(node, removed, reopened.has(id), nowMs)]),
  );
  const reset = withNodes({ ...workflow, spec: specAfter(workflow.spec, settings.parameters) }, kept);
  return {
    workflow: {
      ...reset,
      metadata: { ...reset.metadata, labels: labelsAfter(reset.metadata.labels) },
      status: statusAfter(reset.status ?? {}, settings.parameters, nowMs),
    },
    pods: podsOf(workflow, nodes, removed),
    removed: [...removed],
    reopened: [...reopened],
  };
}

function refuse(workflow: Workflow, { restartSuccessful = false, isMeant }: RetrySettings): void {
  const phase = workflow.status?.phase || 'Pending';
  if (phase === 'Failed' || phase === 'Error') return;
  const isAllowed = phase === 'Succeeded' && restartSuccessful && isMeant !== undefined;
  if (isAllowed) return;
  const hint =
    phase === 'Succeeded'
      ? 'what succeeded runs again with --restart-successful and --node-field-selector alone'
      : 'stop it or wait for its end first';
  throw new CommandError(
    `cannot retry ${titleOf(workflow)}: it is ${phase}, neither Failed nor Error; ${hint}`,
    'WORKFLOW_REFUSED',
  );
}

function nodeAfter(
  node: NodeStatus,
  removed: ReadonlySet<NodeId>,
  isReopened: boolean,
  nowMs: number,
): NodeStatus {
  const isKept = (id: NodeId): boolean => !removed.has(id);
  const { children, outboundNodes, message, finishedAt, ...rest } = node;
  const pruned: NodeStatus = {
    ...rest,
    ...(children !== undefined && { children: children.filter(isKept) }),
  };
  if (isReopened) return { ...pruned, phase: 'Running', startedAt: metaTime(nowMs) };
  return {
    ...pruned,
    ...(outboundNodes !== undefined && { outboundNodes: outboundNodes.filter(isKept) }),
    ...(message !== undefined && { message }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

/** The spec of a workflow that is run again: no shutdown any more, and new values of the parameters. Pure. */
export function specAfter(spec: WorkflowSpec, parameters: ParameterValues): WorkflowSpec {
  const { shutdown: _, activeDeadlineSeconds, arguments: own, ...rest } = spec;
  const args = withParameters(own, parameters);
  return {
    ...rest,
    // Terminating sets it to zero, in older clients.
    ...(activeDeadlineSeconds !== undefined && activeDeadlineSeconds !== 0 && { activeDeadlineSeconds }),
    ...(args !== undefined && { arguments: args }),
  };
}

function statusAfter(
  status: NonNullable<Workflow['status']>,
  parameters: ParameterValues,
  nowMs: number,
): NonNullable<Workflow['status']> {
  const { message: _, finishedAt: __, persistentVolumeClaims: ___, conditions = [], ...rest } = status;
  const stored = status.storedWorkflowTemplateSpec;
  return {
    ...rest,
    phase: '',
    startedAt: metaTime(nowMs),
    conditions: [
      ...conditions.filter(({ type }) => type !== 'Completed'),
      { type: 'Completed', status: 'False' },
    ],
    ...(stored !== undefined && { storedWorkflowTemplateSpec: specAfter(stored, parameters) }),
  };
}

function labelsAfter(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { [LABEL_COMPLETED]: _, [LABEL_ARCHIVING]: __, ...rest } = labels;
  return rest;
}

function podsOf(workflow: Workflow, nodes: Nodes, removed: ReadonlySet<NodeId>): string[] {
  return Object.values(nodes)
    .filter(({ id, type }) => type === 'Pod' && removed.has(id))
    .map((node) => podNameOf(workflow, node));
}
