import type { ContainerStatus, Pod } from '@turnsole/kube/kinds/core';

/** How its main container ended; undefined while it has not, or where the kubelet has not said. */
export function endOf(
  pod: Pod | undefined,
  main: string,
): NonNullable<ContainerStatus['state']>['terminated'] | undefined {
  return pod?.status?.containerStatuses?.find(({ name }) => name === main)?.state?.terminated;
}

/**
 * The phase of a helper pod, by its main container once that has ended: sidecars may go on, or fail, and say nothing about what the
 * helper did. Pure.
 */
export function phaseOf(pod: Pod, main: string): string {
  const end = endOf(pod, main);
  if (end !== undefined) return end.exitCode === 0 ? 'Succeeded' : 'Failed';
  return pod.status?.phase ?? 'Pending';
}

/** Whether the helper runs or has ended. Pure. */
export function hasStarted(pod: Pod, main: string): boolean {
  return phaseOf(pod, main) === 'Running' || hasEnded(pod, main);
}

/** Whether the helper has ended, well or not. Pure. */
export function hasEnded(pod: Pod, main: string): boolean {
  return ['Succeeded', 'Failed'].includes(phaseOf(pod, main));
}

/**
 * Whether its node has stopped answering: its containers run as far as the status says, and yet the pod is not ready. A kubelet that
 * answers reports the containers as not ready as well, when one of them is not. Pure.
 */
export function isLost(pod: Pod | undefined): boolean {
  const { phase, containerStatuses = [] } = pod?.status ?? {};
  const statusOf = (type: string): string | undefined => conditionOf(pod, type)?.status;
  const isRunning = containerStatuses.some(({ state }) => state?.running !== undefined);
  return (
    isRunning &&
    phase === 'Running' &&
    statusOf('Ready') === 'False' &&
    statusOf('ContainersReady') !== 'False'
  );
}

/** Times of conditions are cut to whole seconds. */
const SECOND_MS = 1_000;

/**
 * When the control plane noted that the node of a lost helper does not answer, in milliseconds since 1970; what sees that pod may see it later.
 * Pure.
 *
 * @param fromMs when it was last seen otherwise: what the control plane says counts between then and now
 * @param nowMs counts where the control plane does not say when, or has another clock
 */
export function lostAt(pod: Pod | undefined, fromMs: number, nowMs: number): number {
  const notedMs = Date.parse(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '') + SECOND_MS;
  return notedMs >= fromMs && notedMs <= nowMs ? notedMs : nowMs;
}

function conditionOf(pod: Pod | undefined, type: string) {
  return pod?.status?.conditions?.find((condition) => condition.type === type);
}
