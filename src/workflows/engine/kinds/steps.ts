import type { NodeStatus } from '../../kinds/status.ts';
import { checkResults } from '../caller-scope.ts';
import { hasHooks, startHooks } from '../concerns/hooks.ts';
import { compositeOutputs } from '../concerns/outputs.ts';
import { FAIL_FAST_MESSAGE, hasFailedFast } from '../concerns/parallelism.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import type { Element, Frame } from '../frames.ts';
import { linkAfter, membersOf, outboundNodes, unique } from '../graph.ts';
import { createNode } from '../new-node.ts';
import { nodeMessage } from '../node-error.ts';
import { isFailed, isFulfilled } from '../node-state.ts';
import { resolveStep } from '../resolve-step.ts';
import { startTemplate } from '../start.ts';
import { startMembers } from './start-members.ts';

/** Goes on with a Steps node: its groups run one after the other. */
export function visitSteps(draft: Draft, steps: NodeStatus): void {
  const frame = frameOf(draft, steps);
  for (;;) {
    const node = draft.get(steps.id);
    if (node === undefined || isFulfilled(node)) return;
    const index = draft.index.created.get(node.id) - 1;
    const group = index < 0 ? undefined : draft.named(`${node.name}[${index}]`);
    if (group === undefined || group.phase === 'Succeeded') {
      if (index + 1 === frame.template.steps?.length) {
        succeed(draft, node, frame, group);
        return;
      }
      createGroup(draft, node, frame, index + 1, group);
      continue;
    }
    if (isFailed(group)) {
      fail(draft, node, group);
      return;
    }
    visitGroup(draft, node, frame, group, index);
    if (!isFulfilled(draft.get(group.id) ?? group)) return;
  }
}

function createGroup(
  draft: Draft,
  steps: NodeStatus,
  frame: Frame,
  index: number,
  previous: NodeStatus | undefined,
): void {
  const name = `${steps.name}[${index}]`;
  const group = createNode(draft, {
    name,
    type: 'StepGroup',
    phase: 'Running',
    boundary: steps,
    scope: frame.scope,
  });
  if (previous === undefined) {
    draft.addChild(steps.id, group.id);
    return;
  }
  const before = membersOf(childrenOf(draft, previous));
  linkAfter(draft, before.length === 0 ? [] : before, group.id);
  if (before.length === 0) draft.addChild(previous.id, group.id);
}

function visitGroup(draft: Draft, steps: NodeStatus, frame: Frame, group: NodeStatus, index: number): void {
  let elements: readonly Element[];
  try {
    elements = elementsOfGroup(draft, steps, frame, group, index);
  } catch (error) {
    draft.update(group, { phase: 'Error', message: nodeMessage(error), finishedAt: draft.time });
    return;
  }
  const isWhole = startMembers(draft, { group, parent: group }, elements, (element) =>
    startElement(draft, steps, frame, group, element),
  );
  const current = draft.get(group.id);
  if (current === undefined || isFulfilled(current)) return;
  if (isWhole && draft.index.open.get(group.id) === 0) close(draft, steps, current, elements);
}

function elementsOfGroup(
  draft: Draft,
  steps: NodeStatus,
  frame: Frame,
  group: NodeStatus,
  index: number,
): readonly Element[] {
  const kept = draft.run.elements.get(group.id);
  if (kept !== undefined) return kept;
  const elements = (frame.template.steps?.[index] ?? []).flatMap((step) =>
    resolveStep(draft, steps, step, 'failed to resolve references: '),
  );
  draft.run.elements.set(group.id, elements);
  return elements;
}

/** False when it has to wait, or the group is over. */
function startElement(
  draft: Draft,
  steps: NodeStatus,
  frame: Frame,
  group: NodeStatus,
  element: Element,
): boolean {
  const { name: stepName, step, skipped } = element;
  const name = `${group.name}.${stepName}`;
  const call = { name, holder: step, scope: frame.scope, boundary: steps };
  if (skipped !== undefined) {
    const node = createNode(draft, { ...call, type: 'Skipped', phase: 'Skipped', message: skipped });
    draft.addChild(group.id, node.id);
    return true;
  }
  if (hasFailedFast(draft, steps)) {
    failFast(draft, group);
    return false;
  }
  const started = startTemplate(draft, { ...call, args: step.arguments });
  if (started.kind === 'blocked') return false;
  if (started.kind === 'started') {
    draft.addChild(group.id, started.node.id);
    return true;
  }
  draft.addChild(group.id, started.node.id);
  const message = `step group deemed errored due to child ${name} error: ${started.message}`;
  draft.update(group, { phase: 'Error', message, finishedAt: draft.time });
  return false;
}

function failFast(draft: Draft, group: NodeStatus): void {
  draft.update(group, { phase: 'Failed', message: FAIL_FAST_MESSAGE, finishedAt: draft.time });
}

/** All members are over: their exit hooks run, then the group gets its phase. */
function close(draft: Draft, steps: NodeStatus, group: NodeStatus, elements: readonly Element[]): void {
  const byName = new Map(elements.map((element) => [`${group.name}.${element.name}`, element]));
  const children = membersOf(childrenOf(draft, group));
  for (const child of children) {
    const step = byName.get(child.name)?.step;
    if (step !== undefined && hasHooks(step)) startHooks(draft, child, step, steps);
  }
  if (draft.index.open.get(group.id) > 0) return;
  const failed = children.find((child) => isFailed(child) && !continuesOn(byName.get(child.name), child));
  if (failed === undefined) {
    draft.update(group, { phase: 'Succeeded', finishedAt: draft.time });
    aggregate(draft, steps, children);
  } else
    draft.update(group, { phase: 'Failed', message: `child '${failed.id}' failed`, finishedAt: draft.time });
}

/** A result that cannot be put into the list of its loop ends the Steps node at once. */
function aggregate(draft: Draft, steps: NodeStatus, children: readonly NodeStatus[]): void {
  try {
    checkResults(children.filter(({ displayName }) => /^[^(]+\(\d+:/.test(displayName)));
  } catch (error) {
    draft.update(steps, { phase: 'Error', message: nodeMessage(error), finishedAt: draft.time });
  }
}

function continuesOn(element: Element | undefined, { phase }: NodeStatus): boolean {
  const { failed = false, error = false } = element?.step.continueOn ?? {};
  return phase === 'Failed' ? failed : error;
}

/** The first group that did not succeed ends the node as Failed, whatever the group ended with. */
function fail(draft: Draft, node: NodeStatus, group: NodeStatus): void {
  draft.update(node, {
    phase: 'Failed',
    message: group.message,
    finishedAt: draft.time,
    outboundNodes: group.message === FAIL_FAST_MESSAGE ? undefined : outboundOf(draft, group),
  });
}

function succeed(draft: Draft, node: NodeStatus, frame: Frame, last: NodeStatus | undefined): void {
  const finishedAt = draft.time;
  try {
    const outputs = compositeOutputs(draft, node, frame.template);
    const outbound = last === undefined ? [] : outboundOf(draft, last);
    draft.update(node, { phase: 'Succeeded', finishedAt, outputs, outboundNodes: outbound });
  } catch (error) {
    draft.update(node, { phase: 'Error', message: nodeMessage(error), finishedAt });
  }
}

function outboundOf(draft: Draft, group: NodeStatus): string[] | undefined {
  const outbound = unique(
    membersOf(childrenOf(draft, group)).flatMap((child) => outboundNodes(draft, child)),
  );
  return outbound.length === 0 ? undefined : outbound;
}

function childrenOf(draft: Draft, node: NodeStatus): NodeStatus[] {
  return (node.children ?? []).map(draft.get).filter((child) => child !== undefined);
}
