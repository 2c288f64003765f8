import type { ContainerStatus, ObjectMeta, Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers, lastingStatuses } from '@turnsole/kube/kinds/lasting-containers';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';

/**
 * Whether nothing of a pod runs any more, and nothing of it will. Pure.
 *
 * Usually the phase says so. But the phase of a pod that is being deleted may stay Running (kubelets before 1.27), and its object stays
 * until the kubelet has cleaned up, which takes seconds, or up to a minute. Then the states of its containers decide. A container that
 * ended before the deletion was requested may have been restarted since, where the pod's restart policy allows that.
 */
export function podHasEnded(pod: Pod): boolean {
  if (isFinished(pod)) return true;
  const { metadata, spec } = pod;
  if (metadata.deletionTimestamp === undefined) return false;
  const states = lastingStatuses(pod);
  const sinceMs = deletedMs(metadata);
  const containers = lastingContainers(spec);
  // A sidecar has a policy of its own.
  const policyOf = ({ name }: ContainerStatus): string | undefined =>
    containers.find((container) => container.name === name)?.restartPolicy ?? spec?.restartPolicy;
  return (
    states.length > 0 &&
    states.length === containers.length &&
    states.every((status) => isLocatedNoMore(status) || hasExited(status, policyOf(status), sinceMs))
  );
}

function hasExited(container: ContainerStatus, restartPolicy: string | undefined, sinceMs: number): boolean {
  if (container.state?.terminated === undefined) return false;
  return restartPolicy === 'Never' || endedSince(container, sinceMs);
}

/**
 * Kubelets before 1.27 remove the ended containers of a pod that is being deleted, say then that they wait to be created, and that the one
 * before could not be located when the pod was deleted. They start none for such a pod.
 */
function isLocatedNoMore({ state, lastState }: ContainerStatus): boolean {
  return state?.waiting !== undefined && lastState?.terminated?.reason === 'ContainerStatusUnknown';
}

/** The times of both have whole seconds. A kubelet that lets a pod go may name no time: it starts nothing any more. */
function endedSince({ state }: ContainerStatus, sinceMs: number): boolean {
  const { finishedAt } = state?.terminated ?? {};
  return finishedAt === undefined || finishedAt === null || Date.parse(finishedAt) >= sinceMs;
}

/** When the deletion was asked for: deletionTimestamp contains the grace period (API conventions, Metadata). */
function deletedMs({ deletionTimestamp = '', deletionGracePeriodSeconds = 0 }: ObjectMeta): number {
  return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}
