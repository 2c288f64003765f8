import type { NodeStatus } from '../../kinds/status.ts';
import { checkResults } from '../caller-scope.ts';
import { hasHooks, startHooks } from '../concerns/hooks.ts';
import { compositeOutputs } from '../concerns/outputs.ts';
import { FAIL_FAST_MESSAGE } from '../concerns/parallelism.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { continuesOn, type Element, type Frame } from '../frames.ts';
import { linkAfter, membersOf, outboundNodes, unique } from '../graph.ts';
import { createNode } from '../new-node.ts';
import { nodeMessage } from '../node-error.ts';
import { hasBrokenDown, isFailed, isFulfilled } from '../node-state.ts';
import { resolveStep } from '../resolve-step.ts';
import { elementsOf, startMembers } from './start-members.ts';

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
  const before = membersOf(draft.childrenOf(previous));
  linkAfter(draft, before, group.id);
  if (before.length === 0) draft.addChild(previous.id, group.id);
}

function visitGroup(draft: Draft, steps: NodeStatus, frame: Frame, group: NodeStatus, index: number): void {
  let elements: readonly Element[];
  try {
    elements = elementsOf(draft, group, () =>
      (frame.template.steps?.[index] ?? []).flatMap((step) =>
        resolveStep(draft, steps, step, 'failed to resolve references: '),
      ),
    );
  } catch (error) {
    draft.end(group, 'Error', nodeMessage(error));
    return;
  }
  const members = { group, parent: group, boundary: steps };
  const isWhole = startMembers(draft, members, elements, ({ node, message }) => {
    draft.end(group, 'Error', childError(node, message));
    return false;
  });
  const current = draft.get(group.id);
  if (current === undefined || isFulfilled(current)) return;
  if (isWhole && draft.index.open.get(group.id) === 0) close(draft, steps, current, elements);
}

/** All members are over: their exit hooks run, then the group gets its phase. */
function close(draft: Draft, steps: NodeStatus, group: NodeStatus, elements: readonly Element[]): void {
  const byName = new Map(elements.map((element) => [`${group.name}.${element.name}`, element]));
  const children = membersOf(draft.childrenOf(group));
  for (const child of children) {
    const step = byName.get(child.name)?.step;
    if (step !== undefined && hasHooks(step)) startHooks(draft, child, step, steps);
  }
  if (draft.index.open.get(group.id) > 0) return;
  const broken = children.find(hasBrokenDown);
  if (broken !== undefined) {
    draft.end(group, 'Error', childError(broken, broken.message));
    return;
  }
  const failed = children.find(
    (child) => isFailed(child) && !continuesOn(byName.get(child.name)?.step, child.phase),
  );
  if (failed === undefined) {
    draft.update(group, { phase: 'Succeeded', finishedAt: draft.time });
    aggregate(draft, steps, children);
  } else draft.end(group, 'Failed', `child '${failed.id}' failed`);
}

/** A step that could not be carried out ends its group as an error, whatever `continueOn` says: nothing of it is known. */
function childError({ name }: NodeStatus, message = ''): string {
  return `step group deemed errored due to child ${name} error: ${message}`;
}

/** A result that cannot be put into the list of its loop ends the Steps node at once. */
function aggregate(draft: Draft, steps: NodeStatus, children: readonly NodeStatus[]): void {
  try {
    checkResults(children.filter(({ displayName }) => /^[^(]+\(\d+:/.test(displayName)));
  } catch (error) {
    draft.end(steps, 'Error', nodeMessage(error));
  }
}

/** The first group that did not succeed ends the node as Failed, whatever the group ended with. */
function fail(draft: Draft, node: NodeStatus, group: NodeStatus): void {
  const outbound = group.message === FAIL_FAST_MESSAGE ? undefined : outboundOf(draft, group);
  draft.end(node, 'Failed', group.message, { outboundNodes: outbound });
}

function succeed(draft: Draft, node: NodeStatus, frame: Frame, last: NodeStatus | undefined): void {
  try {
    const outputs = compositeOutputs(draft, node, frame.template);
    const outbound = last === undefined ? [] : outboundOf(draft, last);
    draft.update(node, {
      phase: 'Succeeded',
      finishedAt: draft.time,
      outputs,
      outboundNodes: outbound,
    });
  } catch (error) {
    draft.end(node, 'Error', nodeMessage(error));
  }
}

function outboundOf(draft: Draft, group: NodeStatus): string[] | undefined {
  const outbound = unique(membersOf(draft.childrenOf(group)).flatMap((child) => outboundNodes(draft, child)));
  return outbound.length === 0 ? undefined : outbound;
}
