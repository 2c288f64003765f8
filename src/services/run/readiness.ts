import { isConditionTrue } from '../../api/conditions.ts';
import type { DaemonSet, Deployment, KubeObject, Pod, StatefulSet } from '../../api/core.ts';

/** How far a workload is from being ready to have chaos done to it. */
interface Readiness {
  readonly ready: boolean;
  /** `1/3 pods ready`, for progress lines and the message when time is up. */
  readonly state: string;
}

/**
 * Whether a workload is ready, judged as `kubectl rollout status` does: the controller has seen this version of the
 * spec, and every replica of it is updated and ready. Kinds that do not become ready are. Pure.
 */
export function readinessOf(object: KubeObject): Readiness {
  switch (object.kind) {
    case 'Deployment':
      return deploymentReadiness(object as Deployment);
    case 'StatefulSet':
      return statefulSetReadiness(object as StatefulSet);
    case 'DaemonSet':
      return daemonSetReadiness(object as DaemonSet);
    case 'Pod':
      return podReadiness(object as Pod);
    default:
      return { ready: true, state: 'exists' };
  }
}

/** Kinds whose readiness is waited for before chaos starts. */
export const WORKLOAD_KINDS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'Pod'];

function deploymentReadiness({ metadata, spec, status }: Deployment): Readiness {
  const wanted = spec?.replicas ?? 1;
  const observed = isObserved(metadata.generation, status?.observedGeneration);
  return counted(observed && (status?.updatedReplicas ?? 0) === wanted, status?.availableReplicas, wanted);
}

function statefulSetReadiness({ metadata, spec, status }: StatefulSet): Readiness {
  const observed = isObserved(metadata.generation, status?.observedGeneration);
  return counted(observed, status?.readyReplicas, spec?.replicas ?? 1);
}

function daemonSetReadiness({ metadata, status }: DaemonSet): Readiness {
  const observed = isObserved(metadata.generation, status?.observedGeneration);
  return counted(observed, status?.numberReady, status?.desiredNumberScheduled ?? 0);
}

function podReadiness({ status }: Pod): Readiness {
  const ready = isConditionTrue(status?.conditions, 'Ready');
  return { ready: ready || status?.phase === 'Succeeded', state: `phase ${status?.phase ?? 'unknown'}` };
}

function isObserved(generation: number | undefined, observed: number | undefined): boolean {
  return (observed ?? 0) >= (generation ?? 0);
}

function counted(settled: boolean, ready: number | undefined, wanted: number): Readiness {
  return { ready: settled && (ready ?? 0) >= wanted, state: `${ready ?? 0}/${wanted} pods ready` };
}
