import type { ContainerStatus, Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers, lastingStatuses } from '@turnsole/kube/kinds/lasting-containers';
import type { InjectionTarget } from '../../api/index.ts';

/** The status of the container; undefined while the pod has none. Pure. */
export function containerStatus(
  pod: Pod,
  { container }: Pick<InjectionTarget, 'container'>,
): ContainerStatus | undefined {
  return lastingStatuses(pod).find(({ name }) => name === container);
}

/**
 * The limits that hold for a container now. While its pod waits for a resize the specification asks for others, and a cluster before 1.33 says
 * nothing in the status. Pure.
 */
export function limitsInForce(
  pod: Pod,
  target: Pick<InjectionTarget, 'container'>,
): Readonly<Record<string, string>> | undefined {
  const resources = containerStatus(pod, target)?.resources;
  if (resources !== undefined) return resources.limits;
  return lastingContainers(pod.spec).find(({ name }) => name === target.container)?.resources?.limits;
}

/** The id of a container that runs. Pure. */
export function runningId(status: ContainerStatus | undefined): string | undefined {
  return status?.state?.running === undefined ? undefined : status.containerID;
}

/** Times of a pod's status are cut to whole seconds. */
const SECOND_MS = 1_000;

/**
 * When a pod ended, in milliseconds since 1970: it has run to its end, or it is being deleted and none of its containers runs any more.
 * Undefined while it has not. Pure.
 *
 * @param nowMs when the pod is seen; counts where the kubelet has not said in which second its last container ended
 */
export function podEndedAt(pod: Pod, nowMs: number): number | undefined {
  const { metadata, status } = pod;
  const containerStatuses = lastingStatuses(pod);
  const phase = status?.phase;
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const isLeaving = metadata.deletionTimestamp !== undefined && containerStatuses.length > 0;
  const isStopped = containerStatuses.every(({ state }) => state?.terminated !== undefined);
  if (!isOver && !(isLeaving && isStopped)) return undefined;
  const ends = containerStatuses.map(({ state }) => Date.parse(String(state?.terminated?.finishedAt ?? '')));
  const lastMs = Math.max(...ends);
  return Number.isFinite(lastMs) ? Math.min(lastMs + SECOND_MS, nowMs) : nowMs;
}
