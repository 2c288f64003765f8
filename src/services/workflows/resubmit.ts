import { LABEL_COMPLETED, LABEL_PHASE } from '@turnsole/workflows/kinds/labels';
import { nodeId } from '@turnsole/workflows/kinds/pod-names';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';
import { hasFailed, type Nodes, nodesOf, titleOf } from './nodes.ts';
import type { ParameterValues } from './parameters.ts';
import { specAfter } from './retry.ts';
import type { NewWorkflow } from './submission.ts';

interface ResubmitSettings {
  readonly parameters: ParameterValues;
  /** Takes the place of the results that the earlier run had, so that only what did not succeed runs. */
  readonly memoized?: boolean;
  readonly priority?: number;
  /** Five characters that make the name of a memoized run unique: the ids of its nodes are made of its name. */
  readonly suffix: string;
}

const PREFIX = 'workflows.argoproj.io/';
const LABEL_RESUBMITTED = `${PREFIX}resubmitted-from-workflow`;
/** What the controller, the archive and the one who creates a workflow write anew. */
const OWN_LABELS = [
  LABEL_PHASE,
  LABEL_COMPLETED,
  `${PREFIX}workflow-archiving-status`,
  `${PREFIX}creator`,
  `${PREFIX}creator-email`,
  `${PREFIX}creator-preferred-username`,
];

/**
 * A new workflow of what an earlier one ran. Pure.
 *
 * @throws CommandError (bad input) when results are to be taken over of one that has not ended badly
 */
export function resubmissionOf(workflow: Workflow, settings: ResubmitSettings): NewWorkflow {
  const { name, namespace = '', generateName, labels, annotations, ownerReferences } = workflow.metadata;
  const spec = specAfter(workflow.spec, settings.parameters);
  const prefix = generateName ?? `${name}-`;
  const chosen = `${prefix}${settings.suffix}`;
  const fresh: NewWorkflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: {
      ...(settings.memoized === true ? { name: chosen } : { generateName: prefix }),
      namespace,
      labels: { ...without(labels, OWN_LABELS), [LABEL_RESUBMITTED]: name },
      ...(annotations !== undefined && { annotations: without(annotations, [`${PREFIX}pod-name-format`]) }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
    spec: {
      ...spec,
      ...(settings.priority !== undefined && { priority: settings.priority }),
    },
  };
  if (settings.memoized !== true) return fresh;
  refuseMemoized(workflow);
  const { storedTemplates, storedWorkflowTemplateSpec } = workflow.status ?? {};
  return {
    ...fresh,
    // A run with the results of another has the names of pods of its own: the controller decides their form.
    status: {
      phase: '',
      nodes: nodesUnder(nodesOf(workflow), name, chosen),
      ...(storedTemplates !== undefined && { storedTemplates }),
      ...(storedWorkflowTemplateSpec !== undefined && { storedWorkflowTemplateSpec }),
    },
  };
}

function refuseMemoized(workflow: Workflow): void {
  const { status } = workflow;
  if (status?.phase === 'Failed' || status?.phase === 'Error') return;
  const message = `cannot resubmit ${titleOf(workflow)} with its results: it is ${status?.phase || 'Pending'}, neither Failed nor Error; without --memoized all of it runs again`;
  throw new CommandError(message, 'WORKFLOW_REFUSED');
}

/** Nodes under the name of another workflow: what its pods have done is skipped, everything else waits. */
function nodesUnder(nodes: Nodes, before: string, after: string): Nodes {
  const renamed = (name: string): string => after + name.slice(before.length);
  const exit = `${before}.onExit`;
  const isOfExit = ({ name }: NodeStatus): boolean =>
    name === exit || (/^[.[(]/.test(name.slice(exit.length)) && name.startsWith(exit));
  const kept = Object.values(nodes).filter((node) => !isOfExit(node));
  const ids = new Map(kept.map(({ id, name }) => [id, nodeId(after, renamed(name))]));
  const idsOf = (list: readonly NodeId[] | undefined): NodeId[] | undefined =>
    list?.flatMap((id) => ids.get(id) ?? []);
  return Object.fromEntries(
    kept.map((node) => {
      const id = ids.get(node.id) ?? node.id;
      return [
        id,
        { ...memoizedNode(node), id, name: renamed(node.name), ...linksOf(node, ids, idsOf, before, after) },
      ];
    }),
  );
}

function linksOf(
  node: NodeStatus,
  ids: ReadonlyMap<NodeId, NodeId>,
  idsOf: (list: readonly NodeId[] | undefined) => NodeId[] | undefined,
  before: string,
  after: string,
): Partial<NodeStatus> {
  const children = idsOf(node.children);
  const outboundNodes = idsOf(node.outboundNodes);
  const boundary = node.boundaryID === undefined ? undefined : ids.get(node.boundaryID);
  return {
    ...(node.displayName === before && { displayName: after }),
    ...(children !== undefined && { children }),
    ...(outboundNodes !== undefined && { outboundNodes }),
    ...(boundary !== undefined && { boundaryID: boundary }),
    ...(node.templateScope === `local/${before}` && { templateScope: `local/${after}` }),
  };
}

function memoizedNode(node: NodeStatus): NodeStatus {
  const { message: _, ...rest } = node;
  if (node.type === 'Pod' && !hasFailed(node))
    return { ...rest, type: 'Skipped', phase: 'Skipped', message: `original pod: ${node.id}` };
  if (node.phase === 'Skipped' || node.phase === 'Omitted') return node;
  const { startedAt: __, finishedAt: ___, ...waiting } = rest;
  return { ...waiting, phase: 'Pending' };
}

function without(
  values: Readonly<Record<string, string>> = {},
  keys: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));
}
