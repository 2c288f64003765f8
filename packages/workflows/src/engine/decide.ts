import { isOverPhase } from '../kinds/completed.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Change, Decision } from './change.ts';
import { asksForLocks, locksChanged } from './concerns/locks.ts';
import { asksForCache, cacheRead } from './concerns/memoization.ts';
import { podChanged, podGone, podRefused, reported } from './concerns/pod-changes.ts';
import { retryWakeAt } from './concerns/retry.ts';
import { shutDown } from './concerns/shutdown.ts';
import { endLateNodes, hasTimers, nextDeadline } from './concerns/timeouts.ts';
import { concludes, seeEnding } from './conclude.ts';
import { Draft } from './draft.ts';
import { enter, mayRun, reenter } from './enter.ts';
import { updateProgress } from './final-progress.ts';
import { frameOf } from './frame-of.ts';
import { assessDag } from './kinds/dag.ts';
import { beginPod } from './kinds/pod.ts';
import { beginSuspend, resumesAt, visitSuspend } from './kinds/suspend.ts';
import { beginTask, taskAnswered } from './kinds/task.ts';
import { nodeMessage } from './node-error.ts';
import { isFulfilled } from './node-state.ts';
import { formatProgress, progressAt } from './progress.ts';
import { resolveStep } from './resolve-step.ts';
import type { Controls, Run } from './run.ts';
import { settle, visit } from './settle.ts';
import { firstPhase } from './start.ts';
import { leftOverInTemplate } from './substitution/left-over.ts';

/**
 * What follows from a change: the nodes to store, and the actions. Pure: the run stays as it is until
 * {@link applyDecision}.
 */
export function decide(run: Run, change: Change, now: number): Decision {
  return decided(run, change, now).decision;
}

/** As {@link decide}, with the number of nodes that were looked at. */
export function decided(run: Run, change: Change, now: number): { decision: Decision; visits: number } {
  const controls = controlsAfter(run.controls, change);
  const draft = new Draft({ ...run, controls }, now, begin, resolveStep);
  if (!isOverPhase(run.status.phase) || isTaken(change)) work(draft, change);
  const decision: Decision = {
    nodes: draft.nodes,
    status: draft.statusChange,
    actions: draft.actions,
    ...wakeAt(draft),
    ...(controls !== run.controls && { controls }),
  };
  return { decision, visits: draft.visits };
}

/** Takes a decision into the run. Nothing else alters it. */
export function applyDecision(run: Run, { nodes, status, controls }: Decision): void {
  for (const node of nodes) {
    const before = run.nodes.get(node.id);
    run.nodes.set(node.id, node);
    run.index.note(before, node, (id) => run.nodes.get(id));
  }
  run.status = { ...run.status, ...status };
  if (controls !== undefined) run.controls = controls;
}

function controlsAfter(controls: Controls, change: Change): Controls {
  if (change.kind === 'locksChanged' && change.node === '' && change.answer.kind === 'held') {
    return { ...controls, isLocked: true };
  }
  if (change.kind !== 'specChanged') return controls;
  const { kind: _kind, ...changed } = change;
  return { ...controls, ...changed };
}

/** Reports of pods are taken even after the end: outputs come late. */
function isTaken(change: Change): boolean {
  return change.kind === 'reported';
}

function work(draft: Draft, change: Change): void {
  if (!mayRun(draft, change)) {
    finishProgress(draft);
    return;
  }
  take(draft, change);
  shutDown(draft);
  endLateNodes(draft);
  if (draft.run.controls.suspend && draft.run.controls.shutdown === undefined) {
    if (draft.status.phase === '') draft.setStatus({ phase: 'Running', startedAt: draft.time });
    finishProgress(draft);
    return;
  }
  seeEnding(draft);
  if (draft.named(draft.workflowName) === undefined) enter(draft);
  else if (draft.status.phase === '') reenter(draft);
  if (change.kind === 'look' || change.kind === 'specChanged') lookAtAll(draft);
  for (;;) {
    const id = draft.queue.shift();
    const node = id === undefined ? undefined : draft.get(id);
    if (node !== undefined) settle(draft, node);
    else if (!assessNext(draft) && !concludes(draft)) break;
  }
  finishProgress(draft);
}

function take(draft: Draft, change: Change): void {
  const goOn = (node: NodeStatus): void => afterLocks(draft, node);
  switch (change.kind) {
    case 'podChanged':
      podChanged(draft, change);
      return;
    case 'podGone':
      podGone(draft, change);
      return;
    case 'podRefused':
      podRefused(draft, change);
      return;
    case 'reported':
      reported(draft, change);
      return;
    case 'taskAnswered':
      taskAnswered(draft, change);
      return;
    case 'locksChanged':
      locksChanged(draft, change, goOn);
      return;
    case 'cacheRead':
      cacheRead(draft, change, (node) => beginBody(draft, node));
      return;
    case 'nodesEdited':
      for (const node of change.nodes) draft.put(withProgress(node));
      return;
    case 'unanswered':
      askAgain(draft, change.node);
      return;
    case 'look':
    case 'specChanged':
  }
}

/** Whether an action was carried out may be lost with the process that was to do it: it is given again. */
function askAgain(draft: Draft, id: string): void {
  const node = draft.get(id);
  if (node?.phase === 'Pending' && !isFulfilled(node)) begin(draft, node);
  else if (node?.phase === 'Running' && (node.type === 'HTTP' || node.type === 'Plugin'))
    beginTask(draft, node);
}

/** Judges a dag that may be over; false when none is waiting. */
function assessNext(draft: Draft): boolean {
  const [id] = draft.toAssess;
  if (id === undefined) return false;
  draft.toAssess.delete(id);
  const node = draft.get(id);
  if (node !== undefined) assessDag(draft, node);
  return true;
}

/** Clients that resume or end a node leave its progress as it was. */
function withProgress(node: NodeStatus): NodeStatus {
  return node.progress === undefined ? node : { ...node, progress: progressAt(node) };
}

/** Goes on with a node that has just been made. */
function begin(draft: Draft, node: NodeStatus): void {
  try {
    const { template } = frameOf(draft, node);
    const isAttempt = node.nodeFlag?.retried === true;
    if (!isAttempt && asksForLocks(draft, node, template)) return;
    afterLocks(draft, node);
  } catch (error) {
    draft.end(node, 'Error', nodeMessage(error));
  }
}

function afterLocks(draft: Draft, node: NodeStatus): void {
  if (!asksForCache(draft, node, frameOf(draft, node).template)) beginBody(draft, node);
}

function beginBody(draft: Draft, node: NodeStatus): void {
  const left = LEAVES.has(node.type) ? leftOverInTemplate(frameOf(draft, node).template) : undefined;
  if (left !== undefined) {
    draft.end(node, 'Error', `failed to resolve ${left}`);
    return;
  }
  const phase = firstPhase(node.type);
  const current = node.phase === phase ? node : draft.update(node, { phase });
  switch (current.type) {
    case 'Pod':
      beginPod(draft, current);
      return;
    case 'Suspend':
      beginSuspend(draft, current);
      return;
    case 'HTTP':
    case 'Plugin':
      beginTask(draft, current);
      return;
    default:
      visit(draft, current);
      return;
  }
}

/** Nodes that carry out something themselves. */
const LEAVES: ReadonlySet<NodeStatus['type']> = new Set(['Pod', 'HTTP', 'Plugin', 'Suspend']);

/** Looks at everything that is not over: after a start, and when time has passed. */
function lookAtAll(draft: Draft): void {
  for (const node of draft.unfulfilled()) {
    if (node.phase === 'Pending') continue;
    if (node.type === 'Suspend') visitSuspend(draft, node);
    else visit(draft, node);
  }
}

function finishProgress(draft: Draft): void {
  if (!isOverPhase(draft.status.phase)) updateProgress(draft);
  const progress = formatProgress(draft.index.progress);
  if (draft.status.phase !== '' && progress !== draft.status.progress) draft.setStatus({ progress });
}

/** When time alone brings about something: the earliest of deadlines, back-offs and suspensions. */
function wakeAt(draft: Draft): Pick<Decision, 'wakeAt'> {
  if (isOverPhase(draft.status.phase)) return {};
  const times: number[] = [];
  const deadline = nextDeadline(draft);
  if (deadline !== undefined) times.push(deadline);
  // Without any, no node has to be asked.
  for (const node of hasTimers(draft.run) ? draft.unfulfilled() : []) {
    const at = ownWakeAt(draft, node);
    if (at !== undefined) times.push(at);
  }
  return times.length === 0 ? {} : { wakeAt: Math.min(...times) };
}

function ownWakeAt(draft: Draft, node: NodeStatus): number | undefined {
  if (node.type === 'Retry') return retryWakeAt(draft, node);
  return node.type === 'Suspend' && node.phase === 'Running' ? resumesAt(draft, node) : undefined;
}
