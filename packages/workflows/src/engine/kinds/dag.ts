import { isLoop } from '../../kinds/loop.ts';
import type { NodePhase, NodeStatus } from '../../kinds/status.ts';
import type { DagTask } from '../../kinds/template.ts';
import { dependsText, evaluateDepends, type TaskResult } from '../concerns/depends.ts';
import { awaitsExitHook, hasHooks, startHooks } from '../concerns/hooks.ts';
import { compositeOutputs } from '../concerns/outputs.ts';
import { failFast, hasFailedFast } from '../concerns/parallelism.ts';
import { mayStart } from '../concerns/shutdown.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { continuesOn, type Element, type Frame } from '../frames.ts';
import { linkAfter, membersOf, outboundNodes, unique } from '../graph.ts';
import { createNode } from '../new-node.ts';
import { nodeMessage } from '../node-error.ts';
import { isCompleted, isFailed, isFulfilled } from '../node-state.ts';
import { resolveStep } from '../resolve-step.ts';
import { type FailedStart, startTemplate } from '../start.ts';
import { inOrder, orderedTasks, targetsOf } from './dag-order.ts';
import { elementsOf, startMembers } from './start-members.ts';

/** Goes on with all tasks of a dag: when it begins, and when it is visited as a whole. */
export function visitDag(draft: Draft, dag: NodeStatus): void {
  const frame = frameOf(draft, dag);
  startTasks(draft, dag, frame, orderedTasks(frame));
  draft.toAssess.add(dag.id);
}

/** Goes on with what waits for a task that is over. */
export function taskIsOver(draft: Draft, dag: NodeStatus, task: string): void {
  const node = draft.get(dag.id) ?? dag;
  if (isFulfilled(node)) return;
  const frame = frameOf(draft, node);
  startTasks(draft, node, frame, inOrder(frame, frame.dependants.get(task) ?? []));
  draft.toAssess.add(node.id);
}

/** Goes on with a task that has a loop. */
export function continueGroup(draft: Draft, dag: NodeStatus, task: string): void {
  startTasks(draft, dag, frameOf(draft, dag), [task]);
}

function startTasks(draft: Draft, dag: NodeStatus, frame: Frame, names: readonly string[]): void {
  if (!mayStart(draft, dag)) return;
  for (const name of names) {
    const task: DagTask | undefined = frame.members.get(name)?.step;
    if (task === undefined) continue;
    const node = taskNode(draft, dag, name);
    if (node?.type === 'TaskGroup') visitTaskGroup(draft, dag, node, task);
    else if (node === undefined && isReady(draft, dag, frame, name)) startTask(draft, dag, frame, task);
    if (isFulfilled(draft.get(dag.id) ?? dag)) return;
  }
}

function taskNode(draft: Draft, dag: NodeStatus, task: string): NodeStatus | undefined {
  return draft.named(`${dag.name}.${task}`);
}

function isReady(draft: Draft, dag: NodeStatus, frame: Frame, task: string): boolean {
  return (frame.inputs.get(task) ?? []).every((name) => isOver(draft, dag, frame, name));
}

/** Over, with all of its hooks. */
function isOver(draft: Draft, dag: NodeStatus, frame: Frame, task: string): boolean {
  const node = taskNode(draft, dag, task);
  if (node === undefined || !isFulfilled(node) || draft.index.open.get(node.id) > 0) return false;
  const step = frame.members.get(task)?.step;
  if (step === undefined || isLoop(step)) return true;
  return !awaitsExitHook(draft, node, step, dag);
}

function startTask(draft: Draft, dag: NodeStatus, frame: Frame, task: DagTask): void {
  const name = `${dag.name}.${task.name}`;
  const call = { name, holder: task, scope: frame.scope, boundary: dag };
  const born = (phase: NodePhase, message: string): void => {
    const node = createNode(draft, { ...call, type: 'Skipped', phase, message, flag: {} });
    connect(draft, dag, frame, task, node);
  };
  let elements: readonly Element[];
  try {
    if (!isWanted(draft, dag, frame, task)) {
      born('Omitted', 'omitted: depends condition not met');
      return;
    }
    elements = resolveStep(draft, dag, task);
  } catch (error) {
    born('Error', nodeMessage(error));
    return;
  }
  const [first] = elements;
  const isOne = first !== undefined && elements.length === 1 && first.name === task.name;
  if (isOne && first.skipped !== undefined) {
    born('Skipped', first.skipped);
    return;
  }
  if (!isOne) {
    const group = createNode(draft, { ...call, type: 'TaskGroup', phase: 'Running' });
    connect(draft, dag, frame, task, group);
    draft.run.elements.set(group.id, elements);
    visitTaskGroup(draft, dag, group, task);
    return;
  }
  if (hasFailedFast(draft, dag)) {
    failFast(draft, dag);
    return;
  }
  const started = startTemplate(draft, { ...call, holder: first.step, args: first.step.arguments });
  if (started.kind === 'blocked') return;
  if (started.kind === 'failed') nameFailed(draft, started);
  connect(draft, dag, frame, task, started.node);
}

function isWanted(draft: Draft, dag: NodeStatus, frame: Frame, task: DagTask): boolean {
  const depends = dependsText(task, (name) => frame.members.get(name)?.step);
  return depends === '' || evaluateDepends(depends, (name) => resultOf(draft, dag, name));
}

function resultOf(draft: Draft, dag: NodeStatus, task: string): TaskResult {
  const node = taskNode(draft, dag, task);
  const elements = node?.type === 'TaskGroup' ? membersOf(draft.childrenOf(node)) : [];
  return {
    Succeeded: node?.phase === 'Succeeded',
    Failed: node?.phase === 'Failed',
    Errored: node?.phase === 'Error',
    Skipped: node?.phase === 'Skipped',
    Omitted: node?.phase === 'Omitted',
    Daemoned: node?.daemoned === true,
    AnySucceeded: elements.some(({ phase }) => phase === 'Succeeded'),
    AllFailed: elements.length > 0 && elements.every(({ phase }) => phase === 'Failed'),
  };
}

function connect(draft: Draft, dag: NodeStatus, frame: Frame, task: DagTask, node: NodeStatus): void {
  const needed = frame.inputs.get(task.name) ?? [];
  if (needed.length === 0) {
    draft.addChild(dag.id, node.id);
    return;
  }
  const before = needed.map((name) => taskNode(draft, dag, name)).filter((found) => found !== undefined);
  linkAfter(draft, before, node.id);
}

function visitTaskGroup(draft: Draft, dag: NodeStatus, group: NodeStatus, task: DagTask): void {
  if (isFulfilled(draft.get(group.id) ?? group)) return;
  const elements = elementsOf(draft, group, () => resolveStep(draft, dag, task));
  const isWhole = startMembers(draft, { group, parent: dag, boundary: dag }, elements, (failed) => {
    nameFailed(draft, failed);
    return true;
  });
  if (!isWhole || draft.index.open.get(group.id) > 0) return;
  const children = membersOf(draft.childrenOf(draft.get(group.id) ?? group));
  if (hasHooks(task)) for (const child of children) startHooks(draft, child, task, dag);
  if (draft.index.open.get(group.id) > 0) return;
  const failed = children.findLast(isFailed);
  draft.update(group, { phase: failed?.phase ?? 'Succeeded', finishedAt: draft.time });
}

/** The message of a task says which it was that could not be carried out. */
function nameFailed(draft: Draft, { node, message }: FailedStart): void {
  draft.update(node, { message: `${namedError(node)}${message}` });
}

/** Names a task that broke down, unless its message does already. */
export function nameBroken(draft: Draft, node: NodeStatus): void {
  const { message = '' } = node;
  if (!message.startsWith(namedError(node))) nameFailed(draft, { kind: 'failed', node, message });
}

function namedError({ name }: NodeStatus): string {
  return `task '${name}' errored: `;
}

/** Gives a dag its phase once nothing of it runs and nothing more can start. */
export function assessDag(draft: Draft, node: NodeStatus): void {
  const frame = frameOf(draft, node);
  if (isFulfilled(node) || draft.index.open.get(node.id) > 0) return;
  for (const task of orderedTasks(frame)) startExitHook(draft, node, frame, task);
  if (
    draft.index.open.get(node.id) > 0 ||
    orderedTasks(frame).some((task) => awaitsHook(draft, node, frame, task))
  )
    return;
  const finishedAt = draft.time;
  const targets = targetsOf(frame);
  const outbound = unique(targets.flatMap((task) => outboundOf(draft, node, task)));
  const outboundNodesOfDag = outbound.length === 0 ? undefined : outbound;
  if (!mayStart(draft, node)) {
    draft.update(node, { phase: 'Failed', finishedAt, outboundNodes: outboundNodesOfDag });
    return;
  }
  const branches = branchPhases(draft, node, frame);
  const phases = targets.map((task) => branches.get(task));
  const isFailFast = frame.template.dag?.failFast !== false;
  const failed = targets.findIndex((task, index) => {
    const phase = phases[index];
    return (phase === 'Failed' || phase === 'Error') && !continuesOn(frame.members.get(task)?.step, phase);
  });
  if (phases.includes(undefined) && !(isFailFast && failed >= 0)) return;
  const end = failed >= 0 ? phases[failed] : undefined;
  if (end !== undefined) {
    draft.update(node, { phase: end, finishedAt, outboundNodes: outboundNodesOfDag });
    return;
  }
  try {
    const outputs = compositeOutputs(draft, node, frame.template);
    draft.update(node, { phase: 'Succeeded', finishedAt, outputs, outboundNodes: outboundNodesOfDag });
  } catch (error) {
    draft.end(node, 'Error', nodeMessage(error));
  }
}

/** A hook that had to wait for a place begins at the next visit. */
function startExitHook(draft: Draft, dag: NodeStatus, frame: Frame, task: string): void {
  const step = frame.members.get(task)?.step;
  const node = taskNode(draft, dag, task);
  if (step === undefined || node === undefined || !awaitsHook(draft, dag, frame, task)) return;
  startHooks(draft, node, step, dag);
}

function awaitsHook(draft: Draft, dag: NodeStatus, frame: Frame, task: string): boolean {
  const step = frame.members.get(task)?.step;
  const node = taskNode(draft, dag, task);
  if (step === undefined || node === undefined || isLoop(step)) return false;
  return awaitsExitHook(draft, node, step, dag);
}

/**
 * The phase with which a branch reaches each task: its own when it ran, else that of what it waited for, failures first. None for a task
 * that has no node yet.
 */
function branchPhases(draft: Draft, dag: NodeStatus, frame: Frame): Map<string, NodePhase> {
  const phases = new Map<string, NodePhase>();
  // Tasks stand after what they wait for.
  for (const task of orderedTasks(frame)) {
    const node = taskNode(draft, dag, task);
    if (node === undefined || !isFulfilled(node)) continue;
    const before = (frame.inputs.get(task) ?? []).map((name) => phases.get(name));
    const inherited = before.find((phase) => phase === 'Failed' || phase === 'Error') ?? 'Succeeded';
    phases.set(task, isCompleted(node) ? node.phase : inherited);
  }
  return phases;
}

function outboundOf(draft: Draft, dag: NodeStatus, task: string): string[] {
  const node = taskNode(draft, dag, task);
  return node === undefined ? [] : outboundNodes(draft, node);
}
