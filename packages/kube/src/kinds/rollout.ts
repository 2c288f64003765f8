import type { DaemonSet, Deployment, KubeObject, StatefulSet } from './core.ts';

/** Whether the controller of a workload has seen this version of its spec. Pure. */
export function isObserved({ metadata, status }: Deployment | StatefulSet | DaemonSet): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/**
 * Whether a workload is on its way to what its spec says: a rollout, a change of scale, or pods that are not ready; judged as
 * `kubectl rollout status` does. Pods of a set that only their deletion updates (`OnDelete`), or below the partition, are not waited for.
 * Pure.
 */
export function isRollingOut(kind: 'Deployment' | 'StatefulSet' | 'DaemonSet', object: KubeObject): boolean {
  switch (kind) {
    case 'Deployment':
      return isDeploymentRolling(object as Deployment);
    case 'StatefulSet':
      return isStatefulSetRolling(object as StatefulSet);
    case 'DaemonSet':
      return isDaemonSetRolling(object as DaemonSet);
  }
}

function isDeploymentRolling(object: Deployment): boolean {
  if (!isObserved(object)) return true;
  const { spec, status } = object;
  const wanted = spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  return updatedReplicas < wanted || replicas !== wanted || availableReplicas < wanted;
}

function isStatefulSetRolling(object: StatefulSet): boolean {
  if (!isObserved(object)) return true;
  const { spec, status } = object;
  const wanted = spec?.replicas ?? 1;
  const {
    replicas = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    currentRevision,
    updateRevision,
  } = status ?? {};
  if (replicas !== wanted || readyReplicas < wanted) return true;
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type === 'OnDelete' || currentRevision === updateRevision) return false;
  return updatedReplicas < wanted - (rollingUpdate?.partition ?? 0);
}

function isDaemonSetRolling(object: DaemonSet): boolean {
  if (!isObserved(object)) return true;
  const { spec, status } = object;
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberReady = 0 } = status ?? {};
  if (numberReady < desiredNumberScheduled) return true;
  return spec?.updateStrategy?.type !== 'OnDelete' && updatedNumberScheduled < desiredNumberScheduled;
}
