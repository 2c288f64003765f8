import type { Pod } from '@turnsole/kube/kinds/core';
import type { Informer, Source } from '@turnsole/kube/runtime/index';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';

/** A pod as the watch last reported it. */
export interface SeenPod {
  readonly pod: Pod;
  /** It is gone, or is marked as recorded; `pod` is its last state. */
  readonly isGone: boolean;
}

/** Key of the workflow that a pod or another object is of, by its label. */
export function workflowKey({ metadata }: Pick<Pod, 'metadata'>): string {
  return `${metadata.namespace ?? ''}/${metadata.labels?.[LABEL_WORKFLOW] ?? ''}`;
}

/** Index of pods and task results by their workflow. */
export const BY_WORKFLOW = 'workflow';

/** Reports each pod before its workflow is queued, so that the pass always sees the pod's latest state. */
export function fromPods(pods: Informer<Pod>, see: (key: string, seen: SeenPod) => void): Source {
  return {
    subscribe: (enqueue) => {
      const forward = (pod: Pod, isGone: boolean): void => {
        const key = workflowKey(pod);
        see(key, { pod, isGone });
        enqueue(key);
      };
      return pods.addHandler({
        onAdd: (pod) => forward(pod, false),
        onUpdate: (pod) => forward(pod, false),
        onDelete: (pod) => forward(pod, true),
      });
    },
    whenSynced: (signal) => pods.whenSynced(signal),
  };
}
