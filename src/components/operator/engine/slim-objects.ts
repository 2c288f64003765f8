import type { Job, Pod } from '@turnsole/kube/kinds/core';
import { dropManagedFields } from '@turnsole/kube/runtime/informer';
import { LABEL_RECOVERY } from '../../../api/index.ts';

/**
 * A pod as the operator's local copy keeps it: of its spec only the node and what shows whether it has ended. With thousands of pods
 * the rest would be most of the memory.
 */
export function slimPod(pod: Pod): Pod {
  const { nodeName, restartPolicy, containers = [] } = pod.spec ?? {};
  return dropManagedFields({
    ...pod,
    spec: {
      containers: containers.map(({ name }) => ({ name })),
      ...(nodeName === undefined ? {} : { nodeName }),
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    },
  });
}

/** The same of a Job. */
export function slimJob(job: Job): Job {
  const isRecovery = job.metadata.labels?.[LABEL_RECOVERY] !== undefined;
  return dropManagedFields({
    metadata: job.metadata,
    ...(isRecovery && job.status !== undefined
      ? { status: { conditions: job.status.conditions ?? [] } }
      : {}),
  });
}
