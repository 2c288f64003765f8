import type { Pod } from '@turnsole/kube/kinds/core';
import { parseTime } from '@turnsole/kube/text/time';
import { isReady, readySinceMs, restartCount } from './pods.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const PHASE_RANK: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The pods in the order in which a scale-down removes them, first to go first.
 *
 * Not assigned before assigned, pending before running, not ready before ready, low deletion cost before high, those that
 * share their node with more siblings before others, ready for a short time before long, restarted often before seldom,
 * young before old. Ages are compared by order of magnitude and then by uid, so that among pods of about the same age
 * the choice is arbitrary, but the same each time. (Kubernetes' ActivePodsWithRanks.)
 *
 * @param siblings active pods of all sets of the same owner, for the share of a node
 */
export function orderForDeletion(pods: readonly Pod[], siblings: readonly Pod[], nowMs: number): Pod[] {
  const perNode = new Map<string, number>();
  for (const { spec } of siblings) {
    const node = spec?.nodeName;
    if (node !== undefined) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  return [...pods].sort((left, right) => compareForDeletion(left, right, perNode, nowMs));
}

function compareForDeletion(
  left: Pod,
  right: Pod,
  perNode: ReadonlyMap<string, number>,
  nowMs: number,
): number {
  const shared = (pod: Pod) => perNode.get(pod.spec?.nodeName ?? '') ?? 0;
  return (
    Number(isAssigned(left)) - Number(isAssigned(right)) ||
    phaseRank(left) - phaseRank(right) ||
    Number(isReady(left)) - Number(isReady(right)) ||
    deletionCost(left) - deletionCost(right) ||
    shared(right) - shared(left) ||
    compareAges(readySinceMs(left), readySinceMs(right), left, right, nowMs) ||
    restartCount(right) - restartCount(left) ||
    compareAges(createdMs(left), createdMs(right), left, right, nowMs)
  );
}

function isAssigned(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? '') !== '';
}

function phaseRank(pod: Pod): number {
  return PHASE_RANK[pod.status?.phase ?? 'Pending'] ?? 0;
}

function createdMs(pod: Pod): number | undefined {
  return parseTime(pod.metadata.creationTimestamp);
}

function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[DELETION_COST];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

/** Younger first, by order of magnitude; equal ages say nothing, ages of one magnitude are settled by the uid. */
function compareAges(
  left: number | undefined,
  right: number | undefined,
  leftPod: Pod,
  rightPod: Pod,
  nowMs: number,
): number {
  if (left === right || left === undefined || right === undefined) return 0;
  const difference = magnitude(nowMs - left) - magnitude(nowMs - right);
  if (difference !== 0) return difference;
  return (leftPod.metadata.uid ?? '') < (rightPod.metadata.uid ?? '') ? -1 : 1;
}

function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.floor(Math.log2(ageMs)) : -1;
}
