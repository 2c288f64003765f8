import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { DaemonSet, Deployment, KubeObject, Pod, StatefulSet } from '@turnsole/kube/kinds/core';
import { isRollingOut } from '@turnsole/kube/kinds/rollout';

/** How far a workload is from being ready to have chaos done to it. */
interface Readiness {
  readonly ready: boolean;
  /** `1/3 pods ready`, for progress lines and the message when time is up. */
  readonly state: string;
}

/**
 * Whether a workload is ready: its pods are, and no rollout is under way, in the middle of which chaos would begin. An object of a kind
 * that does not become ready is. Pure.
 */
export function readinessOf(object: KubeObject): Readiness {
  switch (object.kind) {
    case 'Deployment': {
      const { spec, status } = object as Deployment;
      return counted(object.kind, object, status?.availableReplicas ?? 0, spec?.replicas ?? 1);
    }
    case 'StatefulSet': {
      const { spec, status } = object as StatefulSet;
      return counted(object.kind, object, status?.readyReplicas ?? 0, spec?.replicas ?? 1);
    }
    case 'DaemonSet': {
      const { status } = object as DaemonSet;
      return counted(object.kind, object, status?.numberReady ?? 0, status?.desiredNumberScheduled ?? 0);
    }
    case 'Pod':
      return podReadiness(object as Pod);
    default:
      return { ready: true, state: 'exists' };
  }
}

/** Kinds whose readiness is waited for before chaos starts. */
export const WORKLOAD_KINDS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'Pod'];

function podReadiness({ status }: Pod): Readiness {
  const ready = isConditionTrue(status?.conditions, 'Ready');
  return { ready: ready || status?.phase === 'Succeeded', state: `phase ${status?.phase ?? 'unknown'}` };
}

function counted(
  kind: Parameters<typeof isRollingOut>[0],
  object: KubeObject,
  ready: number,
  wanted: number,
): Readiness {
  const isRolling = isRollingOut(kind, object);
  // Old pods may be ready as well.
  const why = isRolling && ready >= wanted ? ', its rollout is under way' : '';
  return { ready: !isRolling, state: `${ready}/${wanted} pods ready${why}` };
}
