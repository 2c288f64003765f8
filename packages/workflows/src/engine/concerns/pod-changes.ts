import { metaTime } from '@turnsole/kube/text/time';
import type { Outputs } from '../../kinds/parameters.ts';
import type { NodeStatus } from '../../kinds/status.ts';
import type { Template } from '../../kinds/template.ts';
import type { Change, PodFact } from '../change.ts';
import type { Draft } from '../draft.ts';
import { frameOf } from '../frame-of.ts';
import { endContainers, updateContainers } from '../kinds/container-set.ts';
import { createPod } from '../kinds/pod.ts';
import { isActive, isCompleted } from '../node-state.ts';
import { progressAt } from '../progress.ts';
import { judgeFailedPod, pendingMessage } from './pod-end.ts';
import { DEADLINE_MESSAGE } from './timeouts.ts';

type Of<Kind extends Change['kind']> = Extract<Change, { readonly kind: Kind }>;

/** Takes over what has become of a pod. */
export function podChanged(draft: Draft, { node: id, pod }: Of<'podChanged'>): void {
  const node = draft.get(id);
  if (node === undefined) return;
  if (!isActive(node)) {
    if (isMarked(node)) endMarked(draft, node, pod);
    return;
  }
  const common = observed(node, pod);
  switch (pod.phase) {
    case 'Pending':
      draft.update(node, { ...common, message: pendingMessage(pod) });
      break;
    case 'Running':
      run(draft, node, pod, common);
      break;
    case 'Succeeded':
    case 'Failed':
      end(draft, node, pod, common);
      break;
    case 'Unknown':
      draft.end(node, 'Error', `Unexpected pod phase for ${pod.name}: Unknown`);
  }
  updateContainers(draft, draft.get(id) ?? node, pod);
}

/** A pod that a shutdown or a deadline stops: its node has failed for the time being. */
function isMarked(node: NodeStatus): boolean {
  if (node.type !== 'Pod' || node.message === undefined) return false;
  return node.message.startsWith('workflow shutdown with strategy:  ') || node.message === DEADLINE_MESSAGE;
}

/** The end of a marked pod is what its node waits for; a report does not replace it. */
function awaitsEnd(node: NodeStatus): boolean {
  return isMarked(node) && node.taskResultSynced === false;
}

/** The pod's reaction to the shutdown decides: one that ends well has succeeded. The message of one that succeeded stays. */
function endMarked(draft: Draft, node: NodeStatus, pod: PodFact): void {
  if (pod.phase !== 'Succeeded' && pod.phase !== 'Failed') return;
  const judged = pod.phase === 'Succeeded' ? ({ phase: 'Succeeded' } as const) : judgeFailedPod(pod);
  const { phase } = judged;
  draft.update(node, {
    ...observed(node, pod),
    phase,
    progress: progressAt({ ...node, phase }),
    taskResultSynced: true,
    ...(phase !== 'Succeeded' && !isOfDeadline(node, pod) && { message: judged.message }),
  });
}

/** The exit code of a program that was ended for a deadline says less than the deadline. */
function isOfDeadline(node: NodeStatus, pod: PodFact): boolean {
  return node.message === DEADLINE_MESSAGE && (pod.message === undefined || pod.message === '');
}

/** What of a pod its node shows at any time. */
function observed(node: NodeStatus, pod: PodFact): Partial<NodeStatus> {
  const exitCode = exitCodeOf(pod);
  return {
    ...(pod.host !== undefined && { hostNodeName: pod.host }),
    ...(pod.resourcesDuration && { resourcesDuration: pod.resourcesDuration }),
    ...(exitCode !== undefined &&
      node.outputs?.exitCode !== exitCode && { outputs: { ...node.outputs, exitCode } }),
  };
}

function exitCodeOf({ containers }: PodFact): string | undefined {
  const state = containers.find(({ name }) => name === 'main')?.state;
  return state?.kind === 'terminated' ? String(state.exitCode) : undefined;
}

function run(draft: Draft, node: NodeStatus, pod: PodFact, common: Partial<NodeStatus>): void {
  const { template } = frameOf(draft, node);
  if (template.daemon !== true) {
    draft.update(node, { ...common, phase: 'Running', message: undefined });
    return;
  }
  const mains = pod.containers.filter(({ role }) => role === 'main' || role === 'sidecar');
  const isUp = mains.length > 0 && mains.every(({ ready }) => ready === true);
  if (isUp)
    draft.update(node, { ...common, phase: 'Running', message: undefined, daemoned: true, podIP: pod.ip });
  else if (node.phase === 'Pending') draft.update(node, { ...common, phase: 'Pending' });
}

function end(draft: Draft, node: NodeStatus, pod: PodFact, common: Partial<NodeStatus>): void {
  const isDaemon = frameOf(draft, node).template.daemon === true;
  const judged =
    pod.phase === 'Failed' ? judgeFailedPod(pod) : ({ phase: isDaemon ? 'Failed' : 'Succeeded' } as const);
  const outputs = withFixedOutputs(common.outputs ?? node.outputs, frameOf(draft, node).template);
  draft.update(node, {
    ...common,
    ...(outputs !== node.outputs && { outputs }),
    phase: judged.phase,
    message: judged.message,
    progress: progressAt({ ...node, phase: judged.phase }),
    finishedAt: metaTime(pod.finishedAt ?? draft.now),
    daemoned: undefined,
    // A pod that failed may not have been able to report; what it reports later is taken all the same.
    ...(judged.phase !== 'Succeeded' && node.taskResultSynced === false && { taskResultSynced: true }),
  });
}

export function podGone(draft: Draft, { node: id }: Of<'podGone'>): void {
  const node = draft.get(id);
  if (node === undefined || node.type !== 'Pod') return;
  if (isMarked(node)) {
    draft.update(node, { taskResultSynced: true });
    return;
  }
  if (node.phase === 'Pending') {
    // The pod was never there, or went before it ran: it is made again.
    draft.actions.push(createPod(draft, node, frameOf(draft, node).template));
    return;
  }
  if (node.phase === 'Running') lose(draft, node);
}

function lose(draft: Draft, node: NodeStatus): void {
  // What has not been reported by now never will be.
  const taskResultSynced = node.taskResultSynced === true ? true : undefined;
  draft.end(node, 'Error', 'pod deleted', { daemoned: undefined, taskResultSynced });
  endContainers(draft, node, () => ({ phase: 'Error', message: 'container deleted' }));
}

export function podRefused(draft: Draft, { node: id, message, isTransient }: Of<'podRefused'>): void {
  const node = draft.get(id);
  if (node === undefined || !isActive(node)) return;
  if (isTransient) {
    draft.update(node, { message });
    return;
  }
  draft.end(node, 'Error', message, { taskResultSynced: undefined });
  endContainers(draft, node, () => ({ phase: 'Error', message: 'Pod was refused' }));
}

/** Takes over what a pod reported. */
export function reported(draft: Draft, change: Of<'reported'>): void {
  const node = draft.get(change.node);
  if (node === undefined || node.type !== 'Pod') return;
  const merged = mergedOutputs(node.outputs, change.outputs);
  const outputs = withFixedOutputs(merged, frameOf(draft, node).template);
  draft.update(node, {
    ...(outputs !== node.outputs && { outputs }),
    ...(change.progress !== undefined && isActive(node) && { progress: change.progress }),
    ...((change.isComplete ? !awaitsEnd(node) : !isCompleted(node)) && {
      taskResultSynced: change.isComplete,
    }),
  });
}

/** With the parameters whose values the template gives itself; no pod reports these. */
function withFixedOutputs(known: Outputs | undefined, { outputs }: Template): Outputs | undefined {
  const reported = known?.parameters ?? [];
  const fixed = (outputs?.parameters ?? []).filter(
    ({ name, value, valueFrom }) =>
      value !== undefined &&
      valueFrom === undefined &&
      !reported.some((parameter) => parameter.name === name),
  );
  return fixed.length === 0 ? known : { ...known, parameters: [...reported, ...fixed] };
}

function mergedOutputs(known: Outputs | undefined, added: Outputs | undefined): Outputs | undefined {
  if (added === undefined || Object.keys(added).length === 0) return known;
  const { exitCode } = known ?? {};
  const merged = { ...known, ...added, ...(exitCode !== undefined && { exitCode }) };
  return JSON.stringify(merged) === JSON.stringify(known) ? known : merged;
}
