import { objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers, lastingStatuses } from '@turnsole/kube/kinds/lasting-containers';

/**
 * Why these pods are not healthy, or undefined when they are: at least one, all Running and all their containers ready.
 * Pods that have completed or are being deleted are not counted: a finished Job with the application's label is no failure
 * (upstream's check fails on it).
 */
export function unhealthyReason(pods: readonly Pod[]): string | undefined {
  const counted = pods.filter(isCounted);
  if (counted.length === 0) return NO_POD;
  return counted.map(podProblem).find((problem) => problem !== undefined);
}

/** The problem of a group without pods. */
export const NO_POD = 'no running pod found';

/** Whether a pod counts for the health of its application. */
export function isCounted({ status, metadata }: Pod): boolean {
  return status?.phase !== 'Succeeded' && metadata.deletionTimestamp === undefined;
}

/** Whether a pod runs and all its containers are ready. */
export function isReady(pod: Pod): boolean {
  return podProblem(pod) === undefined;
}

function podProblem(pod: Pod): string | undefined {
  const phase = pod.status?.phase ?? 'Unknown';
  if (phase !== 'Running') return `pod ${objectKey(pod)} is ${phase}`;
  const statuses = lastingStatuses(pod);
  const names = lastingContainers(pod.spec).map(({ name }) => name);
  const unready = names.find((name) => statuses.find((status) => status.name === name)?.ready !== true);
  if (unready === undefined) return undefined;
  const state = statuses.find(({ name }) => name === unready)?.state;
  const why = state?.waiting?.reason ?? state?.terminated?.reason;
  return `container ${unready} of pod ${objectKey(pod)} is not ready${why === undefined ? '' : ` (${why})`}`;
}
