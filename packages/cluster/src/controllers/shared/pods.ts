import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import { findCondition, isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { Pod } from '@turnsole/kube/kinds/core';
import { hasLabels } from '@turnsole/kube/text/label-selector';
import { parseTime } from '@turnsole/kube/text/time';
import { BY_LABEL, isIndexed, labelled } from './pod-indexes.ts';

/** Whether the pod's Ready condition is True. */
export function isReady(pod: Pod): boolean {
  return isConditionTrue(pod.status?.conditions, 'Ready');
}

/** When the pod became ready; `undefined` when it is not ready. */
export function readySinceMs(pod: Pod): number | undefined {
  const condition = findCondition(pod.status?.conditions, 'Ready');
  return condition?.status === 'True' ? parseTime(condition.lastTransitionTime) : undefined;
}

/** Whether the pod has been ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySinceMs(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/** Milliseconds until the first of the ready pods becomes available; `undefined` when none is waiting for that. */
export function nextAvailabilityMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  let next: number | undefined;
  if (minReadySeconds === 0) return undefined;
  for (const pod of pods) {
    const since = readySinceMs(pod);
    if (since === undefined || isAvailable(pod, minReadySeconds, nowMs)) continue;
    const wait = since + minReadySeconds * 1000 - nowMs;
    if (next === undefined || wait < next) next = wait;
  }
  return next;
}

/** Pods of a namespace that have all these labels; without labels, all of the namespace. */
export function podsWithLabels(
  pods: Pick<FreshView<Pod>, 'byIndex'>,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): Pod[] {
  const [first, ...rest] = Object.entries(labels).filter(([key]) => isIndexed(key));
  if (first === undefined) {
    return pods.byIndex(BY_NAMESPACE, namespace).filter(({ metadata }) => hasLabels(labels, metadata.labels));
  }
  const found = pods.byIndex(BY_LABEL, labelled(namespace, ...first));
  return rest.length === 0 && Object.keys(labels).length === 1
    ? found
    : found.filter(({ metadata }) => hasLabels(labels, metadata.labels));
}

/** Restarts of all containers that may restart for good: the regular ones and init containers that stay (sidecars). */
export function restartCount(pod: Pod): number {
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name),
  );
  const statuses = [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses ?? []).filter((status) => sidecars.has(status.name)),
  ];
  return Math.max(0, ...statuses.map((status) => status.restartCount));
}
