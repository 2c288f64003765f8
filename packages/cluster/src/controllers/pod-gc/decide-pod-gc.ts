import { setConditionAt } from '@turnsole/kube/kinds/conditions';
import type { Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { parseTime } from '@turnsole/kube/text/time';
import type { PodCondition } from '../shared/types.ts';

/** Finished pods beyond the limit, oldest first. */
export function surplusPods(pods: readonly Pod[], limit: number): Pod[] {
  const created = ({ metadata }: Pod) => parseTime(metadata.creationTimestamp) ?? 0;
  const finished = pods
    .filter((pod) => isFinished(pod) && pod.metadata.deletionTimestamp === undefined)
    .sort((left, right) => created(left) - created(right));
  return finished.slice(0, Math.max(0, finished.length - limit));
}

/** Whether a pod goes that was never bound: no node agent ends it, and a finalizer keeps it. */
export function isGoingUnbound({ metadata, spec, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && (spec?.nodeName ?? '') === '' && !isFinished({ status });
}

/** Status of a pod whose node is gone: it has failed, whatever it was doing. `undefined` when it had come to its end. */
export function orphanedStatus(pod: Pod, nowMs: number): Pod['status'] | undefined {
  if (isFinished(pod)) return undefined;
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
  };
  return {
    ...pod.status,
    phase: 'Failed',
    conditions: setConditionAt<PodCondition>(pod.status?.conditions, condition, nowMs),
  };
}
