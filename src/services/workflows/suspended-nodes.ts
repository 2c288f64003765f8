import { metaTime } from '@turnsole/kube/text/time';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import type { Outputs, Parameter } from '@turnsole/workflows/kinds/parameters';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';
import { isSuspended, nodesOf, titleOf, withNodes } from './nodes.ts';
import type { ParameterValues } from './parameters.ts';

/** The change of nodes that wait for a person. */
export interface NodeChange {
  /** Which of the suspended nodes. @default all of them */
  readonly isMeant?: (node: NodeStatus) => boolean;
  /** Values of outputs that are to be supplied. */
  readonly outputs?: ParameterValues;
  readonly phase?: 'Succeeded' | 'Failed' | 'Error' | 'Skipped';
  readonly message?: string;
}

/**
 * A workflow that goes on: not suspended any more, and the nodes that wait have succeeded. Pure.
 *
 * @throws CommandError (bad input) when it has ended, or an output that a node has to be given has no value
 */
export function resumed(workflow: Workflow, change: NodeChange, nowMs: number): Workflow {
  refuseCompleted(workflow, 'resume');
  const { suspend: _, ...spec } = workflow.spec;
  const edited = editNodes(workflow, { ...change, phase: 'Succeeded' }, nowMs);
  // A selector is about nodes alone.
  return change.isMeant === undefined ? { ...edited, spec } : edited;
}

/**
 * A workflow with values, a message or a phase in its suspended nodes. Pure.
 *
 * @throws CommandError (bad input) when no node is meant, or one of them has no such output
 */
export function withNodesSet(workflow: Workflow, change: NodeChange, nowMs: number): Workflow {
  refuseCompleted(workflow, 'set nodes of');
  return editNodes(workflow, change, nowMs);
}

/** A workflow in which suspended nodes failed, as `stop` with a selector asks for. Pure. */
export function withNodesFailed(workflow: Workflow, change: NodeChange, nowMs: number): Workflow {
  refuseCompleted(workflow, 'stop nodes of');
  return editNodes(workflow, { ...change, phase: 'Failed' }, nowMs);
}

/** @throws CommandError (bad input) */
export function refuseCompleted(workflow: Workflow, verb: string): void {
  if (!isCompleted(workflow)) return;
  const { phase } = workflow.status ?? {};
  throw new CommandError(`cannot ${verb} ${titleOf(workflow)}: it has ended (${phase})`, 'WORKFLOW_REFUSED');
}

function editNodes(workflow: Workflow, change: NodeChange, nowMs: number): Workflow {
  const { isMeant = () => true } = change;
  const nodes = nodesOf(workflow);
  const meant = Object.values(nodes).filter((node) => isSuspended(node) && isMeant(node));
  const needsNode = change.isMeant !== undefined || (change.outputs?.size ?? 0) > 0;
  if (meant.length === 0 && (needsNode || workflow.spec.suspend !== true)) {
    const message = `no node of ${titleOf(workflow)} that is suspended is meant; \`turnsole workflow get ${workflow.metadata.name}\` shows which are`;
    throw new CommandError(message, 'WORKFLOW_REFUSED');
  }
  const exported: Parameter[] = [];
  const edited = meant.map((node) => editNode(node, change, nowMs, exported));
  const after = withNodes(workflow, {
    ...nodes,
    ...Object.fromEntries(edited.map((node) => [node.id, node])),
  });
  const outputs = withExported(after.status?.outputs, exported);
  return outputs === undefined ? after : { ...after, status: { ...after.status, outputs } };
}

function editNode(node: NodeStatus, change: NodeChange, nowMs: number, exported: Parameter[]): NodeStatus {
  const { outputs: values = new Map<string, string>(), phase, message } = change;
  const parameters = node.outputs?.parameters ?? [];
  for (const name of values.keys()) refuseUnwanted(node, parameters, name);
  const given = parameters.map((parameter) => supply(parameter, values.get(parameter.name), node, phase));
  for (const [index, parameter] of given.entries()) {
    const { globalName } = parameter;
    if (globalName !== undefined && parameter !== parameters[index] && parameter.value !== undefined)
      exported.push({ name: globalName, value: parameter.value });
  }
  return {
    ...node,
    ...(node.outputs !== undefined &&
      parameters.length > 0 && { outputs: { ...node.outputs, parameters: given } }),
    ...(phase !== undefined && { phase, finishedAt: metaTime(nowMs) }),
    ...(message !== undefined && { message }),
  };
}

/** The output with its value; one without a value gets its default when the node is to succeed. */
function supply(
  parameter: Parameter,
  value: string | undefined,
  node: NodeStatus,
  phase: NodeChange['phase'],
): Parameter {
  const { valueFrom, ...rest } = parameter;
  if (valueFrom?.supplied === undefined) return parameter;
  if (value !== undefined) {
    refuseOutsideEnum(node, parameter.name, value);
    return { ...rest, value };
  }
  if (phase !== 'Succeeded') return parameter;
  const fallback = valueFrom.default ?? parameter.default;
  if (fallback !== undefined) return { ...rest, value: fallback };
  throw new CommandError(
    `node ${node.displayName}: raw output parameter '${parameter.name}' has not been set and does not have a default value; give it with --output-parameter ${parameter.name}=VALUE`,
    'WORKFLOW_REFUSED',
  );
}

function refuseUnwanted(node: NodeStatus, parameters: readonly Parameter[], name: string): void {
  const found = parameters.find((parameter) => parameter.name === name);
  if (found?.valueFrom?.supplied !== undefined) return;
  const why =
    found === undefined
      ? 'it has no such output'
      : 'that output is not to be supplied, or has its value already';
  throw new CommandError(
    `cannot give node ${node.displayName} the output ${name}: ${why}`,
    'WORKFLOW_REFUSED',
  );
}

/** The choices stand at the input of the same name. */
function refuseOutsideEnum({ displayName, inputs }: NodeStatus, name: string, value: string): void {
  const choices = inputs?.parameters?.find((input) => input.name === name)?.enum;
  if (choices === undefined || choices.includes(value)) return;
  const message = `cannot give node ${displayName} the output ${name}=${value}: expected one of ${choices.join(', ')}`;
  throw new CommandError(message, 'WORKFLOW_REFUSED');
}

function withExported(outputs: Outputs | undefined, exported: readonly Parameter[]): Outputs | undefined {
  if (exported.length === 0) return outputs;
  const names = new Set(exported.map(({ name }) => name));
  const kept = (outputs?.parameters ?? []).filter(({ name }) => !names.has(name));
  return { ...outputs, parameters: [...kept, ...exported] };
}
