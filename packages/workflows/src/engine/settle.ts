import type { NodeStatus } from '../kinds/status.ts';
import { exportOutputs } from './concerns/global-outputs.ts';
import { hasHooks, startHooks } from './concerns/hooks.ts';
import { releaseLocks } from './concerns/locks.ts';
import { saveCache } from './concerns/memoization.ts';
import { waitingForPlace } from './concerns/parallelism.ts';
import { visitRetry } from './concerns/retry.ts';
import type { Draft } from './draft.ts';
import { frameOf, stepName } from './frame-of.ts';
import { continueGroup, nameBroken, taskIsOver, visitDag } from './kinds/dag.ts';
import { visitSteps } from './kinds/steps.ts';
import { hasBrokenDown, isCompleted, isFulfilled } from './node-state.ts';

/** Lets those go on who wait for a node whose phase has changed. */
export function settle(draft: Draft, node: NodeStatus): void {
  hooksOf(draft, node);
  if (!isFulfilled(node)) return;
  if (isCompleted(node)) end(draft, node);
  visitOwner(draft, node);
  for (const waiting of waitingForPlace(draft, node)) visit(draft, waiting);
}

function end(draft: Draft, node: NodeStatus): void {
  if (node.type === 'Steps' || node.type === 'DAG') endDaemons(draft, node);
  releaseLocks(draft, node);
  saveCache(draft, node);
  exportOutputs(draft, node.outputs);
}

/** Goes on with a composite node. */
export function visit(draft: Draft, node: NodeStatus): void {
  const current = draft.get(node.id);
  if (current === undefined || isFulfilled(current)) return;
  switch (current.type) {
    case 'Steps':
      visitSteps(draft, current);
      return;
    case 'DAG':
      visitDag(draft, current);
      return;
    case 'Retry':
      visitRetry(draft, current);
      return;
    default:
  }
}

/** A step's hooks start with the phases of its node. */
function hooksOf(draft: Draft, node: NodeStatus): void {
  if (node.boundaryID === undefined || node.nodeFlag?.hooked === true || node.nodeFlag?.retried === true)
    return;
  const boundary = draft.get(node.boundaryID);
  if (boundary === undefined || (boundary.type !== 'Steps' && boundary.type !== 'DAG')) return;
  if (node.type === 'StepGroup' || node.type === 'TaskGroup') return;
  const step = frameOf(draft, boundary).members.get(stepName(node, boundary))?.step;
  if (step !== undefined && hasHooks(step)) startHooks(draft, node, step, boundary);
}

function visitOwner(draft: Draft, node: NodeStatus): void {
  const owner = draft.index.ownerOf(node, draft.get);
  if (owner === undefined) return;
  // A hook belongs to a member: its group or dag waits for both.
  if (node.nodeFlag?.hooked === true && node.nodeFlag.retried !== true) {
    visitOwner(draft, owner);
    return;
  }
  const isOfDag = owner.type === 'DAG' || owner.type === 'TaskGroup';
  if (isOfDag && hasBrokenDown(node)) nameBroken(draft, node);
  switch (owner.type) {
    case 'StepGroup':
    case 'Container':
      visitBoundary(draft, owner);
      return;
    case 'TaskGroup':
      visitTask(draft, owner);
      return;
    case 'DAG':
      visitTask(draft, node);
      return;
    default:
      visit(draft, owner);
      return;
  }
}

function visitBoundary(draft: Draft, node: NodeStatus): void {
  const boundary = draft.boundaryOf(node);
  if (boundary !== undefined) visit(draft, boundary);
}

function visitTask(draft: Draft, task: NodeStatus): void {
  const dag = draft.boundaryOf(task);
  if (dag?.type !== 'DAG') return;
  const name = stepName(task, dag);
  if (isFulfilled(task)) taskIsOver(draft, dag, name);
  else if (task.type === 'TaskGroup') continueGroup(draft, dag, name);
}

/** Ends the daemons of a boundary that is over. They have done what they were for. */
function endDaemons(draft: Draft, boundary: NodeStatus): void {
  for (const id of [...draft.index.daemons]) {
    const node = draft.get(id);
    if (node?.boundaryID !== boundary.id) continue;
    draft.actions.push({ kind: 'endPod', node: node.id, isPending: false });
    draft.update(node, { phase: 'Succeeded', daemoned: undefined, progress: '1/1', finishedAt: draft.time });
  }
}
