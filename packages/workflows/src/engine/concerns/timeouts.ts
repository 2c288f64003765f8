import { parseDuration } from '@turnsole/kube/text/duration';
import type { NodeStatus } from '../../kinds/status.ts';
import type { Template } from '../../kinds/template.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { isActive } from '../node-state.ts';
import type { Run } from '../run.ts';
import { lastAttemptEnd } from './back-off.ts';
import { isOnExit } from './shutdown.ts';

export const DEADLINE_MESSAGE = 'Step exceeded its deadline';

/** When the workflow has to be over; undefined without a limit. Milliseconds since 1970. */
export function workflowDeadline(draft: Draft): number | undefined {
  const { activeDeadlineSeconds } = draft.run.controls;
  const { startedAt } = draft.status;
  if (activeDeadlineSeconds === undefined || startedAt === undefined) return undefined;
  return Date.parse(startedAt) + activeDeadlineSeconds * 1000;
}

/** When a node that is still pending has to be given up. */
function pendingDeadline(node: NodeStatus, { timeout, pendingTimeout }: Template): number | undefined {
  const limits = [timeout, pendingTimeout]
    .filter((text) => text !== undefined && text !== '')
    .map((text) => parseDuration(text ?? ''));
  if (limits.length === 0 || node.startedAt === undefined) return undefined;
  return Date.parse(node.startedAt) + Math.min(...limits);
}

/** Ends nodes whose time is up. Pods that run are ended by their own deadline. */
export function endLateNodes(draft: Draft): void {
  const deadline = workflowDeadline(draft);
  const isOver = deadline !== undefined && draft.now >= deadline;
  if (!isOver && !hasTimeouts(draft.run)) return;
  for (const node of draft.unfulfilled()) {
    if (!isActive(node)) continue;
    if (isOver && !isOnExit(node)) endAtWorkflowDeadline(draft, node);
    else if (node.phase === 'Pending' && node.type === 'Pod') endPending(draft, node);
  }
}

function endAtWorkflowDeadline(draft: Draft, node: NodeStatus): void {
  const isLeaf =
    node.type === 'Pod' || node.type === 'Suspend' || node.type === 'HTTP' || node.type === 'Plugin';
  if (!isLeaf) return;
  const isRunningPod = node.type === 'Pod' && node.phase === 'Running';
  if (node.type === 'Pod') {
    draft.actions.push({ kind: 'endPod', node: node.id, isPending: !isRunningPod });
  }
  // The outcome of a running pod is known at its end.
  draft.end(node, 'Failed', DEADLINE_MESSAGE, node.type === 'Pod' ? { taskResultSynced: !isRunningPod } : {});
}

function endPending(draft: Draft, node: NodeStatus): void {
  const deadline = pendingDeadline(node, frameOf(draft, node).template);
  if (deadline === undefined || draft.now < deadline) return;
  draft.actions.push({ kind: 'endPod', node: node.id, isPending: true });
  draft.end(node, 'Failed', 'timeout', node.taskResultSynced === false ? { taskResultSynced: true } : {});
}

/** The time at which the kubelet has to end a pod. */
export function podDeadline(draft: Draft, node: NodeStatus, template: Template): number | undefined {
  const limits: number[] = [];
  const ofWorkflow = workflowDeadline(draft);
  if (ofWorkflow !== undefined && !isOnExit(node)) limits.push(ofWorkflow);
  if (template.timeout !== undefined && template.timeout !== '') {
    limits.push(Date.parse(node.startedAt ?? draft.time) + parseDuration(template.timeout));
  }
  const ofAttempts = deadlineOfAttempts(draft, node, template);
  if (ofAttempts !== undefined) limits.push(ofAttempts);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Attempts after the first end with `backoff.maxDuration`; the first has all the time that it takes, as with Argo. */
function deadlineOfAttempts(
  draft: Draft,
  { name, nodeFlag }: NodeStatus,
  { retryStrategy }: Template,
): number | undefined {
  const first = /^(.*)\([1-9]\d*\)$/s.exec(name)?.[1];
  if (nodeFlag?.retried !== true || retryStrategy?.backoff === undefined || first === undefined)
    return undefined;
  return lastAttemptEnd(retryStrategy.backoff, draft.named(`${first}(0)`));
}

/** The earliest time at which something is to be ended or resumed; undefined when time alone changes nothing. */
export function nextDeadline(draft: Draft): number | undefined {
  const times: number[] = [];
  const ofWorkflow = workflowDeadline(draft);
  if (ofWorkflow !== undefined && draft.now < ofWorkflow) times.push(ofWorkflow);
  if (hasTimeouts(draft.run)) {
    for (const node of draft.unfulfilled()) {
      if (node.type !== 'Pod' || node.phase !== 'Pending') continue;
      const deadline = pendingDeadline(node, frameOf(draft, node).template);
      if (deadline !== undefined) times.push(deadline);
    }
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether any template has a limit for pending nodes; most workflows have none, and then no node has to be asked. */
function hasTimeouts(run: Run): boolean {
  return says(run, WITH_TIMEOUT);
}

/** Whether any template has something that time alone brings about. */
export function hasTimers(run: Run): boolean {
  return says(run, WITH_TIMER);
}

const WITH_TIMEOUT = /"(?:timeout|pendingTimeout)":/;
const WITH_TIMER = /"(?:suspend|backoff)":/;

function says({ spec, status }: Run, pattern: RegExp): boolean {
  const parts = [spec.templates, spec.templateDefaults, spec.retryStrategy, status.storedTemplates];
  return parts.some((part) => part !== undefined && partSays(part, pattern));
}

const answers = new WeakMap<object, Map<RegExp, boolean>>();

function partSays(part: object, pattern: RegExp): boolean {
  const known = answers.get(part) ?? new Map<RegExp, boolean>();
  answers.set(part, known);
  const answer = known.get(pattern) ?? pattern.test(JSON.stringify({ part }));
  known.set(pattern, answer);
  return answer;
}
